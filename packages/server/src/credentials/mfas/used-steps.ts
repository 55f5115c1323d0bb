import type { MfaRow } from './mfa-row.ts';

/** More steps than a clock that is ten minutes ahead can use up. */
const maxSteps = 32;

/** The `usedSteps` of a TOTP of which no code was accepted. */
export const noUsedSteps = '[-1]';

/**
 * Returns `usedSteps` after the codes of these time steps are accepted, or `null` when one of the steps is used up.
 *
 * `usedSteps` is a list in ascending order. Its first step and all before it are used up, and so is each other step of
 * the list, always: a code is accepted once, wherever the clock goes. The steps before a listed step are used up, too
 * (RFC 6238, section 5.2), unless it is later than `latest`, the last step that is acceptable now. Such a step was
 * accepted while the clock of a controller was ahead. It must not lock the owner out when the clock is right again. Two
 * replicas whose clocks differ accept a step once, because each replaces the list only if it is the one that it read.
 * When the list is full, its first step is dropped, and then the next one stands for all before it.
 */
export function useSteps(
  { usedSteps }: Pick<MfaRow, 'usedSteps'>,
  steps: readonly number[],
  latest: number,
): string | null {
  const used = JSON.parse(usedSteps) as number[];
  const isUsedUp = (step: number) =>
    used.some((each, at) => each === step || (each > step && (at === 0 || each <= latest)));
  if (steps.some(isUsedUp)) return null;
  return JSON.stringify([...used, ...steps].sort((a, b) => a - b).slice(-maxSteps));
}
