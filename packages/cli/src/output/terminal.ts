import { styleText } from 'node:util';
import { printable, printableLines } from '../lib/printable.ts';

const styles = ['bold', 'red', 'green', 'yellow'] as const;
type Style = (typeof styles)[number];

/** What the styles write before and behind a text. */
const codes = styles.flatMap((style) => styleText(style, ' ', { validateStream: false }).split(' '));
const anyCode = new RegExp(`(${codes.map((code) => code.replace('[', '\\[')).join('|')})`);

/** Colours a text for standard output: only on a terminal, and not with `NO_COLOR`. */
export function styled(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** Colours a text for standard error. */
export function styledError(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

/** Columns of the terminal. Without one, nothing limits a line. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 80 : Number.POSITIVE_INFINITY;
}

/** Whether a person reads the notes. */
export function isWatched(): boolean {
  return Boolean(process.stderr.isTTY);
}

export function print(text: string): void {
  process.stdout.write(shown(text.endsWith('\n') ? text : `${text}\n`));
}

/** A note for the person at the terminal. Standard output has only what was asked for. */
export function note(text: string): void {
  process.stderr.write(shown(`${text}\n`));
}

/** Prints a document: as it is, but on a terminal as a text. Whether that was possible: a terminal shows no binary one. */
export function printDocument(document: Uint8Array): boolean {
  if (!process.stdout.isTTY) process.stdout.write(document);
  else if (document.includes(0)) return false;
  else process.stdout.write(printableLines(new TextDecoder().decode(document)));
  return true;
}

/** A reader that has seen enough, such as `head`, ends the program without a failure. */
export function endWithReader(end: (isFailure: boolean) => void): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => end(error.code !== 'EPIPE'));
}

/**
 * The last check of all that is written: nothing but our own styles controls the terminal. A text of others goes through `printable`
 * before, because a line feed in it would make a line that looks like ours.
 */
function shown(text: string): string {
  return text
    .split(anyCode)
    .map((part, at) => (at % 2 === 1 ? part : printable(part, '\n\t')))
    .join('');
}
