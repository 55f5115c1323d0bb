import type { Services } from './services.ts';
import { writeMissingEnds } from './write-missing-ends.ts';

/** Completes sign-outs that were noted while the session store could not be read. Another replica may do the same. */
export async function endSignedOut(
  services: Pick<Services, 'entities' | 'audit' | 'events' | 'sessions'>,
  tokenHashes: readonly string[],
): Promise<void> {
  const { events, sessions } = services;
  for (const stored of await sessions.load(tokenHashes)) {
    const { id: apiSessionId, identityId } = stored;
    const ended = { name: 'apiSession.ended', payload: { apiSessionId, identityId, by: 'owner' } } as const;
    const actor = { session: { principal: { id: identityId } } };
    await writeMissingEnds(services, actor, [ended]);
    if (await sessions.remove(stored)) events.emit(ended.name, ended.payload);
  }
}
