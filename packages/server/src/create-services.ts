import { join } from 'node:path';
import { LivePosture } from './access/service-access/live-posture.ts';
import { ServiceAccess } from './access/service-access/service-access.ts';
import { ServiceSessions } from './access/service-sessions/service-sessions.ts';
import { ServiceUpdates } from './access/service-updates/service-updates.ts';
import { AuditLog } from './audit/audit-log.ts';
import { createCheckpointSigner } from './audit/checkpoint-signer.ts';
import { Checkpoints, checkpointFile } from './audit/checkpoints.ts';
import { controlAddresses } from './core/config/control-addresses.ts';
import type { Settings } from './core/config/schema.ts';
import type { EventBus } from './core/events/bus.ts';
import type { Logger } from './core/log/log.ts';
import type { Meter } from './core/meter.ts';
import type { HashLimits, HashParameters } from './core/secrets/password-hash.ts';
import { createPasswordHasher } from './core/secrets/password-hash.ts';
import type { Clock } from './core/time/clock.ts';
import type { Machine } from './core/time/steady-clock.ts';
import { createTrustedCas } from './credentials/certificates/trusted-cas.ts';
import { createExternalJwts } from './credentials/external-jwt/external-jwts.ts';
import { createTrustedSigners } from './credentials/external-jwt/trusted-signers.ts';
import { createGuessable } from './credentials/passwords/guessable-passwords.ts';
import { definitions } from './entities/index.ts';
import { JsonSchemas } from './entities/json-schemas/json-schemas.ts';
import { createLiveNetwork } from './network/router-connections/live-network.ts';
import { RouterNetwork } from './network/router-connections/router-network.ts';
import { serverKeyOf } from './pki/controller-pki.ts';
import { createEnrollmentSigner } from './pki/create-enrollment-signer.ts';
import { createNetworkPki } from './pki/create-network-pki.ts';
import { createSessionSigner } from './pki/create-session-signer.ts';
import type { LivePki } from './pki/pki.ts';
import { SessionKeys } from './pki/session-keys.ts';
import type { Services } from './services.ts';
import { endSignedOut } from './sessions/end-signed-out.ts';
import { noteExpired } from './sessions/note-expired.ts';
import { Principals } from './sessions/principals.ts';
import { UnreadSignOuts } from './sessions/unread-sign-outs.ts';
import { createAuthQueries } from './sign-in/authentication/queries/index.ts';
import type { Stores } from './storage/open-stores.ts';
import { createEndedSessions } from './storage/revocation/ended-sessions.ts';
import { createOutbox } from './storage/revocation/outbox.ts';
import { createPostureLosses } from './storage/revocation/posture-losses.ts';

interface Parts {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly pki: LivePki;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly log: Logger;
  readonly meter: Meter | null;
  /** What a password hash costs, if not the default. */
  readonly passwordCost: HashParameters | undefined;
  /** Host and port of the API, as clients know it. */
  readonly apiAddress: () => string;
}

/** Creates what all calls share. */
export function createServices({ settings, stores, pki, events, passwordCost, apiAddress, ...parts }: Parts): Services {
  const { clock, log } = parts;
  const { entities, sessions, sealer, peers } = stores;
  const auditing = createAuditing({ settings, stores, pki, events, clock, log });
  const { audit } = auditing;
  const authQueries = createAuthQueries(settings);
  const endedSessions = createEndedSessions({ entities, clock, timeout: settings.sessionTimeout });
  const trustedCas = createTrustedCas(entities, 'isAuthEnabled');
  const trustedSigners = createTrustedSigners(entities);
  const principals = new Principals({ settings, entities, endedSessions, trustedCas, trustedSigners, clock });
  const serviceAccess = new ServiceAccess({ entities, definitions }, sessions);
  const losses = createPostureLosses(entities, clock);
  const posture = new LivePosture({ sessions, losses, access: serviceAccess, clock });
  const serviceSessions = new ServiceSessions({
    ...{ sessions, endedSessions, principals, access: serviceAccess, posture, authQueries, events, audit },
    ...{ clock, peers },
  });
  const outbox = createOutbox({
    ...{ entities, sessions, clock },
    endLostSessions: (scope) => serviceSessions.endLostIn(scope),
    endSignedOut: (hashes) => endSignedOut({ entities, audit, events, sessions }, hashes),
  });
  const sessionKeys = new SessionKeys(serverKeyOf(pki));
  const routerNetwork = new RouterNetwork(peers, () => sessionKeys.all());
  const issuer = () => `https://${apiAddress()}`;
  const routerAddresses = () => controlAddresses(settings, apiAddress());
  const signing = { server: serverKeyOf(pki), issuer, ctrls: routerAddresses };
  return {
    clock,
    settings,
    entities,
    definitions,
    sessions,
    endedSessions,
    outbox,
    unreadSignOuts: new UnreadSignOuts({ clock, endedSessions, outbox }),
    principals,
    serviceAccess,
    posture,
    serviceSessions,
    peers,
    routerNetwork,
    routerAddresses,
    serviceUpdates: new ServiceUpdates(entities),
    trustedCas,
    enrollingCas: createTrustedCas(entities, 'isAutoCaEnrollmentEnabled'),
    passwords: createPasswords(settings, { passwordCost, meter: parts.meter }),
    guessable: createGuessable(settings, pki.current),
    sealer,
    pki: createNetworkPki(pki, () => new URL(`https://${apiAddress()}`).hostname.replace(/^\[|\]$/g, '')),
    enrollmentSigner: createEnrollmentSigner(signing),
    sessionSigner: createSessionSigner({ ...signing, server: () => sessionKeys.current() }),
    events,
    ...auditing,
    authQueries,
    externalJwts: createExternalJwts({ ...parts, signers: trustedSigners, settings, audit }),
    jsonSchemas: new JsonSchemas(),
    network: createLiveNetwork(routerNetwork, peers),
  };
}

function createPasswords(settings: Settings, { passwordCost, meter }: Pick<Parts, 'passwordCost' | 'meter'>) {
  return createPasswordHasher({
    limits: hashLimits(settings),
    ...(passwordCost && { parameters: passwordCost }),
    ...(meter && { measures: hashMeasures(meter) }),
  });
}

function hashLimits(settings: Settings): HashLimits {
  return {
    get concurrency() {
      return settings.hashConcurrency;
    },
    get queue() {
      return settings.hashQueue;
    },
  };
}

function hashMeasures(meter: Meter) {
  return {
    wait: meter.measure({ kind: 'passwordWait', labels: {} }),
    hash: meter.measure({ kind: 'passwordHash', labels: {} }),
  };
}

/** What the audit log consists of. */
function createAuditing({
  settings,
  stores,
  pki,
  events,
  clock,
  log,
}: Pick<Parts, 'settings' | 'stores' | 'pki' | 'events' | 'clock' | 'log'>) {
  const { entities } = stores;
  const audit = new AuditLog({ entities, events, clock, isEnabled: settings.auditEnabled });
  stores.onExpired((sessions) => noteExpired({ entities, audit, events }, sessions));
  const signer = createCheckpointSigner(pki);
  const file = join(settings.dataDir, checkpointFile);
  return {
    audit,
    checkpointSigner: signer,
    checkpoints: new Checkpoints({ entities, signer, clock, log, file }),
  };
}
