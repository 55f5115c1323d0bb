import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A command of a document, and what it answers. */
export interface WalkStep {
  readonly command: string;
  /** Matches the answer. In the document, `…` stands for any text. */
  readonly answer: RegExp;
}

/** Reads the commands in a section of a document, which ends with the next one. `change` may change its text first. */
export function readWalk(name: string, heading: string, change: (text: string) => string): readonly WalkStep[] {
  const text = readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
  const [, section = ''] = new RegExp(`^## ${heading}\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(text) ?? [];
  const blocks = Array.from(change(section).matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, kind = '', body = '']) => ({
    kind,
    body: body.trim(),
  }));
  return blocks.flatMap(({ kind, body }, index) => {
    const next = blocks[index + 1];
    return kind === 'sh' ? [{ command: body, answer: patternOf(next?.kind === 'text' ? next.body : '') }] : [];
  });
}

function patternOf(answer: string): RegExp {
  const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(answer.split('…').map(literal).join('[^]*?'));
}

/** A shell that somebody types commands into. */
export class Shell implements AsyncDisposable {
  readonly #child: ChildProcess;
  #output = '';

  constructor(options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> }) {
    this.#child = spawn('bash', ['-s'], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
    const take = (chunk: Buffer) => {
      this.#output += String(chunk);
    };
    this.#child.stdout?.on('data', take);
    this.#child.stderr?.on('data', take);
  }

  /** Types a command. What it prints comes into `output`. */
  type(command: string): void {
    this.#output = '';
    this.#child.stdin?.write(`${command}\n`);
  }

  /** What was printed since the last command. */
  readonly output = (): string => this.#output;

  /** Ends what still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'close');
    this.#child.stdin?.end('kill $(jobs -p); wait\n');
    await ended;
  }
}
