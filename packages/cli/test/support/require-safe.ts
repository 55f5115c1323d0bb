import { expect } from 'vitest';
import type { Done } from './edge.ts';

/** Bold, red, green, yellow, and their ends. */
const ownStyles = new RegExp(`${String.fromCharCode(27)}\\[(1|22|31|32|33|39)m`, 'g');

interface Shown {
  readonly isTerminal?: boolean;
  /** A document, or a cell of CSV in its quotes. */
  readonly mayHaveLines?: boolean;
}

/** Fails when the output of a command has a character that controls a terminal, or a line that `evil` made. */
export function requireSafe(
  { stdout, stderr }: Done,
  args: readonly string[],
  { isTerminal = false, mayHaveLines = args.includes('csv') }: Shown = {},
): void {
  for (const text of [stdout, stderr]) {
    const plain = isTerminal ? text.replaceAll(ownStyles, '') : text;
    const unsafe = plain.replaceAll(/[\n\t]/g, '').match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu);
    expect(unsafe, `${args.join(' ')}: ${JSON.stringify(plain)}`).toBe(null);
    if (!mayHaveLines) expect(plain).not.toMatch(/^\s*FORGED/m);
  }
}
