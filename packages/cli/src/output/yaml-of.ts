import { Document, visit } from 'yaml';
import { isPrintable, withEscapes } from '../lib/printable.ts';
import { escapeOf } from './json-of.ts';

/** A value as YAML. What would control a terminal is escaped, so the text can be shown and the value is the same. */
export function yamlOf(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, scalar) {
      // Only double quotes have escapes.
      const isSafe = typeof scalar.value !== 'string' || isPrintable(scalar.value.replaceAll('\n', ''));
      if (!isSafe) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // A line feed between double quotes stays an escape.
  const text = document.toString({ doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY, lineWidth: 0 });
  return withEscapes(text, (character) => escapeOf(character.codePointAt(0) ?? 0, 'U', 8));
}
