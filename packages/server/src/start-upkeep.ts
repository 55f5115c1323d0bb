import type { Logger } from './lib/log.ts';
import type { Services } from './services.ts';

const outboxInterval = 250;
/** Milliseconds between two looks at all sessions of services. Those that have lost their right are refused in any case. */
const sweepInterval = 600_000;

/** Does what is due from time to time. Returns what stops it, and applies the effects that still wait. */
export function startUpkeep(services: Services, log: Logger): () => Promise<void> {
  const onError = (error: unknown) => log.error({ err: error }, 'session effects of an entity change wait');
  const drain = () => services.outbox.drain().catch(onError);
  const timers = [
    setInterval(() => void drain(), outboxInterval).unref(),
    // What fails while a store cannot be reached is done at the next interval.
    setInterval(() => void sweep(services).catch(() => undefined), sweepInterval).unref(),
  ];
  return () => {
    for (const timer of timers) clearInterval(timer);
    return drain();
  };
}

/** Forgets what has ended long ago, as soon as no session store can have it again. */
async function sweep({ clock, endedSessions, posture, serviceAccess, serviceSessions }: Services): Promise<void> {
  const now = clock();
  await serviceAccess.refresh();
  await serviceSessions.endLostIn('all');
  await endedSessions.sweep(now);
  await posture.sweep(now);
}
