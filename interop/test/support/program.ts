import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A line of JSON that a program prints. `at` is Unix time in milliseconds. */
export interface ProgramEvent {
  readonly event: string;
  readonly at: number;
  /** Counts from 0. */
  readonly connection?: number;
  /** Name that the dialer of the connection gave. */
  readonly caller?: string;
  /** At how many routers a host listens. */
  readonly listeners?: number;
  readonly bytes?: number;
  readonly sentSha256?: string;
  readonly receivedSha256?: string;
  readonly milliseconds?: number;
  /** Growth of the memory of the process. */
  readonly rss?: number;
  readonly error?: string;
}

export interface ProgramOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Characters of the standard error of a program that are kept. */
const maxLog = 200_000;
const defaultTimeout = 30_000;
const stopTimeout = 10_000;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** A process, and the lines of JSON that it has printed. */
export class Program implements AsyncDisposable {
  readonly events: ProgramEvent[] = [];
  /** Resolves with the exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  #log = '';
  #hasEnded = false;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #listeners = new Set<() => void>();

  constructor(command: string, args: readonly string[], { env = {}, cwd }: ProgramOptions = {}) {
    this.#name = `${command} ${args.join(' ')}`;
    const child = spawn(command, args, {
      cwd,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    running.add(child);
    child.stderr.on('data', (chunk: Buffer) => this.#note(chunk.toString()));
    createInterface({ input: child.stdout }).on('line', (line) => this.#read(line));
    child.on('error', (error) => this.#note(error.message));
    this.ended = once(child, 'close').then(
      ([code]: (number | null)[]) => this.#end(code ?? null),
      () => this.#end(null),
    );
  }

  /** The end of what it has written on standard error, and what was no JSON. */
  get log(): string {
    return this.#log;
  }

  /**
   * The first event with this name that `matches`, also one that has come already.
   *
   * @throws when the program ends before, or after `timeout` milliseconds
   */
  event(name: string, { matches = () => true, timeout }: EventOptions = {}): Promise<ProgramEvent> {
    const find = () => this.events.find((each) => each.event === name && matches(each));
    return this.#wait(`no event ${name}`, find, timeout);
  }

  /** Waits until it has printed what matches the pattern. @throws as `event` */
  async prints(pattern: RegExp, timeout?: number): Promise<void> {
    await this.#wait(`nothing like ${pattern}`, () => pattern.test(this.#log) || undefined, timeout);
  }

  /** How often this event has come. */
  count(name: string): number {
    return this.events.filter(({ event }) => event === name).length;
  }

  /** Ends the process, and waits for that. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeout);
    await this.ended;
    clearTimeout(timer);
  }

  async [Symbol.asyncDispose]() {
    await this.stop('SIGKILL');
  }

  toString(): string {
    const events = this.events.slice(-10).map((event) => JSON.stringify(event));
    return [`— ${this.#name}`, ...events, ...this.#log.split('\n').slice(-25)].join('\n');
  }

  #wait<Found>(missing: string, find: () => Found | undefined, timeout = defaultTimeout): Promise<Found> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#listeners.delete(look);
        settle();
      };
      const fail = (why: string) => finish(() => reject(new Error(`${missing}: ${why}\n${this}`)));
      const look = () => {
        const found = find();
        if (found !== undefined) finish(() => resolve(found));
        else if (this.#hasEnded) fail('the program has ended');
      };
      const timer = setTimeout(() => fail(`${timeout} ms have passed`), timeout);
      this.#listeners.add(look);
      look();
    });
  }

  #read(line: string): void {
    const event = parseEvent(line);
    if (event) this.events.push(event);
    else this.#note(`${line}\n`);
    this.#tell();
  }

  #note(text: string): void {
    this.#log = `${this.#log}${text}`.slice(-maxLog);
    this.#tell();
  }

  #end(code: number | null): number | null {
    running.delete(this.#child);
    this.#hasEnded = true;
    this.#tell();
    return code;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

interface EventOptions {
  readonly matches?: (event: ProgramEvent) => boolean;
  /** Milliseconds. */
  readonly timeout?: number;
}

function parseEvent(line: string): ProgramEvent | undefined {
  if (!line.startsWith('{"event"')) return undefined;
  return JSON.parse(line);
}
