/**
 * Normalises a typed TOTP or recovery code: removes white space and converts letters to upper case. Characters outside
 * printable ASCII become `?`, because a header cannot carry them. The controller refuses such a code as a wrong one.
 */
export function normalizeCode(typed: string): string {
  return typed
    .replace(/\s/g, '')
    .replace(/[^\x21-\x7e]/g, '?')
    .toUpperCase();
}
