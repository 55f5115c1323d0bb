import type { CallOptions } from '../api/call-options.ts';
import type { SignOutResult } from '../api/sign-out-result.ts';
import { callOf, endRow } from '../calls/own-calls.ts';
import { isSessionRefusal } from '../requests/session-refusal.ts';
import type { Caller } from './caller.ts';
import type { SessionManager } from './session-manager.ts';

interface SignOutParts {
  readonly manager: Pick<SessionManager, 'token' | 'readStored' | 'end'>;
  readonly caller: Pick<Caller, 'ask'>;
}

/** Forgets the session first, then ends it on the controller: see `EdgeClient`. */
export async function signOut({ manager, caller }: SignOutParts, options?: CallOptions): Promise<SignOutResult> {
  let token: string | null;
  try {
    token = manager.token() ?? (await manager.readStored());
  } catch (error) {
    return { confirmed: false, error: error as Error };
  }
  if (!token) return { confirmed: true };
  const forgotten = manager.end(token, 'signedOut').then(
    () => undefined,
    (error: Error) => error,
  );
  try {
    const response = await caller.ask(token, callOf(endRow, options));
    if (!isSessionRefusal(response)) response.read();
  } catch (error) {
    return { confirmed: false, error: error as Error };
  }
  const error = await forgotten;
  return error ? { confirmed: true, error } : { confirmed: true };
}
