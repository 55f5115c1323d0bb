import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';

const program = fileURLToPath(new URL('../../src/bin.ts', import.meta.url));

/** What became of a command. */
export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** The standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly cwd?: string;
  /** Called with all of the standard error whenever there is more of it. */
  readonly onErrorOutput?: (stderr: string) => void;
  /** Called with all of the standard output whenever there is more of it. `interrupt` is Ctrl+C, once even when called again. */
  readonly onOutput?: (stdout: string, interrupt: () => void) => void;
}

/** `edge` as a process of its own, with a folder for its profiles that goes with the test. */
export interface Edge {
  /** The folder of the profiles, and the working directory unless another one is named. */
  readonly folder: string;
  run(args: readonly string[], options?: RunOptions): Promise<Done>;
  /** Runs a command that must end with 0. Resolves to its standard output without the last line feed. */
  ok(args: readonly string[], options?: RunOptions): Promise<string>;
}

export function createEdge(): Edge {
  const folder = mkdtempSync(join(tmpdir(), 'edge-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  async function run(
    args: readonly string[],
    { input = '', env = {}, cwd = folder, onOutput, onErrorOutput }: RunOptions = {},
  ): Promise<Done> {
    const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', program, ...args], {
      cwd,
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: inject('compileCache'), EDGE_CONFIG_DIR: folder, ...env },
    });
    const output = { stdout: '', stderr: '' };
    let isInterrupted = false;
    // A second Ctrl+C would end a command that is about to stop by itself.
    const interrupt = () => {
      if (!isInterrupted) child.kill('SIGINT');
      isInterrupted = true;
    };
    child.stdout.on('data', (chunk: Buffer) => {
      output.stdout += chunk;
      onOutput?.(output.stdout, interrupt);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      output.stderr += chunk;
      onErrorOutput?.(output.stderr);
    });
    // A command that reads no input may have ended.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [code] = await once(child, 'close');
    return { code, ...output };
  }

  return {
    folder,
    run,
    async ok(args, options) {
      const { code, stdout, stderr } = await run(args, options);
      if (code !== 0) throw new Error(`edge ${args.join(' ')} ended with ${code}: ${stderr}`);
      return stdout.replace(/\n$/, '');
    },
  };
}

/** The arguments that sign the administrator of a test controller in. The password is the standard input. */
export function adminLogin({ url, caFile }: { url: string; caFile: string }): string[] {
  return ['login', url, '--ca', caFile, '--username', 'admin', '--password-stdin'];
}

interface AdministeredController {
  readonly url: string;
  readonly caFile: string;
  readonly adminCredentials: { readonly password: string };
}

/** `edge`, signed in as the administrator. */
export async function signedInEdge(controller: AdministeredController): Promise<Edge> {
  const edge = createEdge();
  await edge.ok(adminLogin(controller), { input: controller.adminCredentials.password });
  return edge;
}
