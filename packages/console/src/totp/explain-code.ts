import { isWrongCode } from '@edge-controller/sdk';
import { explainError } from '../api/explain-error.ts';

/** Why a code was refused, for a person; `undefined` without an error. */
export function explainCode(error: unknown): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!isWrongCode(error)) return explainError(error).text;
  const { attemptsRemaining: left } = error;
  const tries = left === null ? '' : left === 1 ? ' One more try is left.' : ` ${left} more tries are left.`;
  return `The code is wrong, or it was used already.${tries}`;
}
