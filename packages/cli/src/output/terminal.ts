import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

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

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** A note for the person at the terminal. Standard output has only what was asked for. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A text without characters that control a terminal: names come from the controller, and anybody may have chosen them. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) =>
    character === '\n' || character === '\t' ? ' ' : '\ufffd',
  );
}
