import type { OnStepUp } from '../api/options.ts';
import type { EdgeApiError } from '../errors/errors.ts';
import type { SessionManager } from './session-manager.ts';

interface StepUpCaller {
  stepUps: number;
  endSession(token: string): void;
}

interface StepUpParts {
  readonly onStepUp: OnStepUp;
  readonly manager: Pick<SessionManager, 'token' | 'isReplaced'>;
  readonly caller: StepUpCaller;
}

interface Refused {
  /** Of the session of the call. */
  readonly token: string;
  readonly error: EdgeApiError;
  /** How many step-ups the client had when the call began. */
  readonly stepUps: number;
}

const running = new WeakMap<StepUpCaller, Promise<void>>();

/**
 * Lets the application prove again who uses the session of a refused call: once for all calls that were sent before. Throws the
 * error of the call when the session is one of somebody else afterwards.
 */
export async function stepUp(parts: StepUpParts, { token, error, stepUps }: Refused): Promise<void> {
  const { manager, caller } = parts;
  if (stepUps === caller.stepUps) {
    const run = running.get(caller) ?? ask(parts, token, error).finally(() => running.delete(caller));
    running.set(caller, run);
    await run;
  }
  if (manager.token() !== token && !manager.isReplaced(token)) throw error;
}

async function ask({ onStepUp, manager, caller }: StepUpParts, token: string, { cause }: EdgeApiError): Promise<void> {
  const { proofs = [] } = (cause?.data ?? {}) as { proofs?: Parameters<OnStepUp>[0]['proofs'] };
  await onStepUp({ proofs });
  caller.stepUps += 1;
  // A sign-in has begun another session.
  if (manager.isReplaced(token)) caller.endSession(token);
}
