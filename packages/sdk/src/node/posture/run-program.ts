import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

/** Runs a program of the system, and returns what it prints. */
export async function runProgram(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  // Windows looks for a program in the working directory first. Whoever can write to this one owns Node anyway.
  const cwd = dirname(process.execPath);
  const { stdout } = await promisify(execFile)(program, args, { signal, cwd, windowsHide: true });
  return stdout.trim();
}
