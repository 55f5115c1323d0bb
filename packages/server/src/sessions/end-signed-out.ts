import type { Dependencies } from './dependencies.ts';
import { writeMissingEnds } from './write-missing-ends.ts';

/** Completes sign-outs that were recorded while the session store could not be read. Another replica may do the same. */
export async function endSignedOut(
  dependencies: Pick<Dependencies, 'database' | 'audit' | 'events' | 'sessions'>,
  tokenHashes: readonly string[],
): Promise<void> {
  const { events, sessions } = dependencies;
  for (const stored of await sessions.load(tokenHashes)) {
    const { id: apiSessionId, identityId } = stored;
    const ended = { name: 'apiSession.ended', payload: { apiSessionId, identityId, by: 'owner' } } as const;
    const actor = { session: { principal: { id: identityId } } };
    await writeMissingEnds(dependencies, actor, [ended]);
    if (await sessions.remove(stored)) events.emit(ended.name, ended.payload);
  }
}
