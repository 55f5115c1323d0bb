import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command and returns what it prints. */
export async function shell(cwd: string, command: readonly string[]): Promise<string> {
  const [file = '', ...args] = command;
  const { stdout } = await execute(file, args, { cwd, maxBuffer: 2 ** 28 });
  return stdout;
}
