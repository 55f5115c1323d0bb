import { readFile } from 'node:fs/promises';
import { usageError } from '../errors/cli-error.ts';
import { readStandardInput } from './standard-input.ts';

/** The text of a file, or of the standard input for `-`. `what` is the option for the error. */
export async function readTextFile(path: string, what: string): Promise<string> {
  if (path === '-') return readStandardInput(what);
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw usageError(`${what}: cannot read ${path} (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
}

/** A value of an option: as it stands, `@path` of a file, or `-` for the standard input. */
export async function readOptionText(value: string, what: string): Promise<string> {
  if (value === '-') return readStandardInput(what);
  return value.startsWith('@') ? readTextFile(value.slice(1), what) : value;
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw usageError(`${what} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}
