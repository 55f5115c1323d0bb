/** What controls a terminal or hides in a text: C0, C1, marks of direction, what has no width, separators of lines, lone surrogates. */
const unsafe = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * A text as a command may print it: anybody may have chosen the names in it. Escapes (`\u009b`) stand for what would control a
 * terminal, so JSON stays the same. Line feeds and tabs stay.
 */
export function shownText(text: string): string {
  return text.replace(unsafe, (character) => (/[\n\t]/.test(character) ? character : escapesOf(character)));
}

function escapesOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
