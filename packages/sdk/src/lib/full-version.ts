/** The version that a text begins with, with three numbers. Empty without one. */
export function fullVersion(text: string): string {
  const numbers = /^\d+(\.\d+){0,2}/.exec(text)?.[0].split('.') ?? [];
  return numbers.length === 0 ? '' : [...numbers, '0', '0'].slice(0, 3).join('.');
}
