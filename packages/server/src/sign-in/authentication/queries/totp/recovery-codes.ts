import { randomInt } from 'node:crypto';
import { isSameSecret } from '../../../../core/secrets/same-secret.ts';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const codeLength = 6;
const codeCount = 20;

/** Returns new recovery codes, sorted. Every code has a letter, so that six digits are always a TOTP code. */
export function newRecoveryCodes(): string[] {
  const codes = new Set<string>();
  while (codes.size < codeCount) {
    const code = Array.from({ length: codeLength }, () => alphabet[randomInt(alphabet.length)]).join('');
    if (/[A-Z]/.test(code)) codes.add(code);
  }
  return [...codes].sort();
}

/** Returns the codes without `code`, or `null` when `code` is not one of them. Always compares with all codes. */
export function withoutCode(codes: readonly string[], code: string): string[] | null {
  const rest = codes.filter((candidate) => !isSameSecret(candidate, code));
  return rest.length < codes.length ? rest : null;
}
