import { withEscapes } from '../lib/printable.ts';

/** A value as JSON. What would control a terminal is escaped, so the text can be shown and the value is the same. */
export function jsonOf(value: unknown, indent?: number): string {
  return withEscapes(JSON.stringify(value, undefined, indent), (character) =>
    Array.from({ length: character.length }, (_, at) => escapeOf(character.charCodeAt(at), 'u', 4)).join(''),
  );
}

/** `\u009b` */
export function escapeOf(code: number, letter: 'u' | 'U', digits: number): string {
  return `\\${letter}${code.toString(16).padStart(digits, '0')}`;
}
