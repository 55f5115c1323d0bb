import type { LivePosture } from '../access/service-access/live-posture.ts';
import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { ServiceSessions } from '../access/service-sessions/service-sessions.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AuditPush } from '../audit/audit-push.ts';
import type { CheckpointSigner } from '../audit/checkpoint.ts';
import type { Checkpoints } from '../audit/checkpoints.ts';
import { headersOf } from '../audit/send-otlp.ts';
import { shortenLog } from '../audit/shorten-log.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Logger } from '../core/log/log.ts';
import type { Clock } from '../core/time/clock.ts';
import { sweepDelays } from '../credentials/passwords/sweep-delays.ts';
import { build } from '../documents/info/version.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { EndedSessions } from '../storage/revocation/ended-sessions.ts';
import type { Outbox } from '../storage/revocation/outbox.ts';

interface Dependencies {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly database: EntityStore;
  readonly audit: AuditLog;
  readonly checkpoints: Checkpoints;
  readonly checkpointSigner: CheckpointSigner;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
  readonly posture: LivePosture;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
}

const outboxInterval = 250;
/** Milliseconds between two checks of all sessions of services. Those that have lost their right are refused in any case. */
const sweepInterval = 600_000;
/** Milliseconds between two checkpoints of the audit log. A change of entries that were added since the last one does not show. */
const checkpointInterval = 60_000;
/** Milliseconds for which acts that are repeated share an entry. */
const repeatInterval = 60_000;

const mebibyte = 2 ** 20;

/** Does what is due from time to time. Returns what stops it, and does what still waits. */
export function startUpkeep(
  dependencies: Dependencies,
  { log, serves }: { log: Logger; serves: boolean },
): () => Promise<void> {
  const onError = (error: unknown) => log.error({ err: error }, 'session effects of an entity change wait');
  const drain = () => dependencies.outbox.drain().catch(onError);
  const sign = () =>
    dependencies.checkpoints
      .sign()
      .catch((error: unknown) => log.warn({ err: error }, 'the audit log could not be signed'));
  const flush = () =>
    dependencies.audit
      .flush()
      .catch((error: unknown) => log.warn({ err: error }, 'numbers of repeated acts wait for the audit log'));
  const push = serves ? createAuditPush(dependencies, log) : null;
  push?.start();
  const timers = [
    setInterval(() => void drain(), outboxInterval).unref(),
    // What fails while a store cannot be reached is done at the next interval.
    setInterval(() => void sweep(dependencies).catch(() => undefined), sweepInterval).unref(),
    setInterval(() => void sign(), checkpointInterval).unref(),
    setInterval(() => void flush(), repeatInterval).unref(),
  ];
  return async () => {
    for (const timer of timers) clearInterval(timer);
    await drain();
    await flush();
    if (!serves) return;
    const stopped = dependencies.audit.publish({}, 'controller.stopped', { version: build.version });
    await stopped.catch((error: unknown) =>
      log.warn({ err: error }, 'the stop could not be recorded in the audit log'),
    );
    await sign();
    await push?.stop();
  };
}

/** `null`: the settings name no receiver. */
function createAuditPush({ database, clock, settings }: Dependencies, log: Logger): AuditPush | null {
  const { auditPushUrl: url, auditPushHeaders } = settings;
  if (url === null) return null;
  const receiver = { url, headers: headersOf(auditPushHeaders ?? '') };
  return new AuditPush({ database, receiver, version: build.version, clock, log });
}

/** Forgets what has ended long ago, as soon as no session store can have it again. */
async function sweep(dependencies: Dependencies): Promise<void> {
  const { clock, endedSessions, database, posture, serviceAccess, serviceSessions, settings } = dependencies;
  const now = clock();
  await serviceAccess.refresh();
  await serviceSessions.endLostIn('all');
  await endedSessions.sweep(now);
  await posture.sweep(now);
  await sweepDelays(database.db, now);
  const limits = { retention: settings.auditRetention, maxSize: settings.auditMaxSize * mebibyte };
  await shortenLog({ ...dependencies, signer: dependencies.checkpointSigner, ...limits });
}
