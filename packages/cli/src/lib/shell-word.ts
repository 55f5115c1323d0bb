import { printable } from './printable.ts';

/** A text as one word of a command that somebody may copy: in quotes, when a shell would take it for something else. */
export function shellWord(text: string): string {
  const word = printable(text);
  return /^[\w@.:/-][\w@.:/=+-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
