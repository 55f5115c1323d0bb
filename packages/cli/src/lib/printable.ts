/** What controls a terminal or hides in a text: C0, C1, marks of direction, what has no width, separators of lines, lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text as it may be shown: names come from the controller, and anybody may have chosen them. It has one line, without characters
 * that control a terminal, change the direction of a text, or cannot be seen. `kept`: of these, what stays.
 */
export function printable(text: string, kept = ''): string {
  return text.replace(unsafe, (character) => {
    if (kept.includes(character)) return character;
    return character === '\n' || character === '\t' ? ' ' : '\ufffd';
  });
}

/** The same for a text with lines. */
export function printableLines(text: string): string {
  return printable(text.replaceAll('\r\n', '\n'), '\n\t');
}

/** The same for a format that has escapes: each unsafe character but line feeds becomes what `toEscape` makes of it. */
export function withEscapes(text: string, toEscape: (character: string) => string): string {
  return text.replace(unsafe, (character) => (character === '\n' ? character : toEscape(character)));
}

/** Whether `printable` would change a text. */
export function isPrintable(text: string): boolean {
  return printable(text) === text;
}
