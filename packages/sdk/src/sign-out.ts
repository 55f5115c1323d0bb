import type { Caller } from './caller.ts';
import type { SignOutResult } from './edge-client.ts';
import type { CallOptions } from './options.ts';
import { callOf, endRow } from './session-calls.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { isSessionRefusal } from './session-refusal.ts';

/** Forgets the session first, then ends it on the controller: see `EdgeClient`. */
export async function signOut(
  { keeper, caller }: { readonly keeper: SessionKeeper; readonly caller: Caller },
  options?: CallOptions,
): Promise<SignOutResult> {
  let token: string | null;
  try {
    token = keeper.token() ?? (await keeper.readStored());
  } catch (error) {
    return { confirmed: false, error: error as Error };
  }
  if (!token) return { confirmed: true };
  const forgotten = keeper.end(token, 'signedOut').then(
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
