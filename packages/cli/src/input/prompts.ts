import { usageError } from '../errors/cli-error.ts';
import { printable } from '../lib/printable.ts';

/** Asks for a secret without showing it. `instead`: the option for whoever has no terminal. */
export async function askSecret(message: string, instead: string): Promise<string> {
  requireTerminal(message, instead);
  const { default: password } = await import('@inquirer/password');
  return password({ message: printable(message) }, { output: process.stderr });
}

/** Asks for a text. */
export async function askText(message: string, instead: string): Promise<string> {
  requireTerminal(message, instead);
  const { default: input } = await import('@inquirer/input');
  return input({ message: printable(message) }, { output: process.stderr });
}

export function canAsk(): boolean {
  return Boolean(process.stdin.isTTY && process.stderr.isTTY);
}

function requireTerminal(message: string, instead: string): void {
  if (!canAsk())
    throw usageError(`${message.toLowerCase()} is missing, and there is no terminal to ask: use ${instead}`);
}
