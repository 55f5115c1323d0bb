import { randomInt } from 'node:crypto';
import { isSameSecret } from '../../../lib/same-secret.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const codeLength = 6;
const codeCount = 20;

/** New recovery codes, sorted. Each has a letter, so that six digits are always a TOTP code. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < codeCount) {
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
    if (/[A-Z]/.test(code)) codes.add(code);
  }
  return [...codes].sort();
}

/** The codes that remain when `code` is used, or `null` when it is none of them. Compares with every one of them. */
export function withoutCode(codes: readonly string[], code: string): string[] | null {
  const rest = codes.filter((candidate) => !isSameSecret(candidate, code));
  return rest.length < codes.length ? rest : null;
}
