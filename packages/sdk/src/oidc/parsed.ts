/** The value of a text in a storage, or `null` without one. */
export function parsed<T>(stored: string | null): T | null {
  try {
    return JSON.parse(stored ?? 'null');
  } catch {
    // The error of the parser would quote the secrets.
    return null;
  }
}
