import { CliError, usageError } from '../errors/cli-error.ts';

/** No input of a command is larger. */
const maxBytes = 64 * 1024 * 1024;

let text: Promise<string> | null = null;
let nextLine = 0;

/** All of the standard input. Several options may not read it: `what` is the option for the error. */
export async function readStandardInput(what: string): Promise<string> {
  if (text !== null) throw usageError(`${what}: the standard input is used by another option already`);
  text = readAll(what);
  return text;
}

/**
 * The next line of the standard input. The options that end with `-stdin` each take one, in the order in which the command names
 * them.
 */
export async function readSecretLine(what: string): Promise<string> {
  text ??= readAll(what);
  const line = (await text).split(/\r?\n/)[nextLine];
  nextLine += 1;
  if (line === undefined || line === '') throw usageError(`${what}: the standard input has no line for it`);
  return line;
}

async function readAll(what: string): Promise<string> {
  if (process.stdin.isTTY)
    throw usageError(`${what} reads the standard input, which is a terminal: pipe the text into it`);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new CliError(`${what}: the standard input has more than 64 MiB`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
