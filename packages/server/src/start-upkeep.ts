import { AuditPush } from './audit/audit-push.ts';
import { headersOf } from './audit/send-otlp.ts';
import { shortenLog } from './audit/shorten-log.ts';
import type { Logger } from './core/log/log.ts';
import { sweepDelays } from './credentials/passwords/sweep-delays.ts';
import { build } from './documents/info/version.ts';
import type { Services } from './services.ts';

const outboxInterval = 250;
/** Milliseconds between two looks at all sessions of services. Those that have lost their right are refused in any case. */
const sweepInterval = 600_000;
/** Milliseconds in which entries of the audit log could be changed and nobody would see it. */
const checkpointInterval = 60_000;
/** Milliseconds for which acts that are repeated share an entry. */
const repeatInterval = 60_000;

const mebibyte = 2 ** 20;

/** Does what is due from time to time. Returns what stops it, and does what still waits. */
export function startUpkeep(
  services: Services,
  { log, serves }: { log: Logger; serves: boolean },
): () => Promise<void> {
  const onError = (error: unknown) => log.error({ err: error }, 'session effects of an entity change wait');
  const drain = () => services.outbox.drain().catch(onError);
  const sign = () =>
    services.checkpoints
      .sign()
      .catch((error: unknown) => log.warn({ err: error }, 'the audit log could not be signed'));
  const flush = () =>
    services.audit
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'numbers of repeated acts wait for the audit log'));
  const push = serves ? createAuditPush(services, log) : null;
  push?.start();
  const timers = [
    setInterval(() => void drain(), outboxInterval).unref(),
    // What fails while a store cannot be reached is done at the next interval.
    setInterval(() => void sweep(services).catch(() => undefined), sweepInterval).unref(),
    setInterval(() => void sign(), checkpointInterval).unref(),
    setInterval(() => void flush(), repeatInterval).unref(),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await drain();
    await flush();
    if (!serves) return;
    const stopped = services.audit.publish({}, 'controller.stopped', { version: build.version });
    await stopped.catch((error: unknown) => log.warn({ err: error }, 'the stop could not be noted in the audit log'));
    await sign();
    await push?.stop();
  };
}

/** `null`: the settings name no receiver. */
function createAuditPush({ entities, clock, settings }: Services, log: Logger): AuditPush | null {
  const { auditPushUrl: url, auditPushHeaders } = settings;
  if (url === null) return null;
  const receiver = { url, headers: headersOf(auditPushHeaders ?? '') };
  return new AuditPush({ entities, receiver, version: build.version, clock, log });
}

/** Forgets what has ended long ago, as soon as no session store can have it again. */
async function sweep(services: Services): Promise<void> {
  const { clock, endedSessions, entities, posture, serviceAccess, serviceSessions, settings } = services;
  const now = clock();
  await serviceAccess.refresh();
  await serviceSessions.endLostIn('all');
  await endedSessions.sweep(now);
  await posture.sweep(now);
  await sweepDelays(entities.db, now);
  const limits = { retention: settings.auditRetention, maxSize: settings.auditMaxSize * mebibyte };
  await shortenLog({ ...services, signer: services.checkpointSigner, ...limits });
}
