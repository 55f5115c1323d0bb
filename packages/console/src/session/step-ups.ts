import type { OnStepUp } from '@edge-controller/sdk';

/** A call that waits until the person has proven again who it is. */
export interface AskedStepUp {
  /** What helps, as the controller says. */
  readonly proofs: Parameters<OnStepUp>[0]['proofs'];
  /** The call goes on. */
  readonly done: () => void;
  /** The call fails, and nothing is changed. */
  readonly cancel: () => void;
}

let asked: AskedStepUp | null = null;
const listeners = new Set<() => void>();

function show(next: AskedStepUp | null): void {
  asked = next;
  for (const listener of listeners) listener();
}

/** Asks the person in a dialog. */
export const askForStepUp: OnStepUp = ({ proofs }) =>
  new Promise<void>((resolve, reject) => {
    const end = (settle: () => void) => () => {
      show(null);
      settle();
    };
    const refusal = new Error('Nothing was changed: you did not confirm that it is you.');
    show({ proofs, done: end(resolve), cancel: end(() => reject(refusal)) });
  });

/** What the dialog asks now, or `null`. */
export const askedStepUp = (): AskedStepUp | null => asked;

export function onAskedStepUp(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
