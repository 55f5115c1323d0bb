import type { ApiTree } from '@edge-controller/shared-types';
import type { LivePosture } from './access/service-access/live-posture.ts';
import type { ServiceAccess } from './access/service-access/service-access.ts';
import type { ServiceSessions } from './access/service-sessions/service-sessions.ts';
import type { ServiceUpdates } from './access/service-updates/service-updates.ts';
import type { AuditLog } from './audit/audit-log.ts';
import type { CheckpointSigner } from './audit/checkpoint.ts';
import type { Checkpoints } from './audit/checkpoints.ts';
import type { HandlersWith } from './core/call.ts';
import type { Settings } from './core/config/schema.ts';
import type { EventBus } from './core/events/bus.ts';
import type { PasswordHasher } from './core/secrets/password-hash.ts';
import type { Sealer } from './core/secrets/sealer.ts';
import type { Clock } from './core/time/clock.ts';
import type { TrustedCas } from './credentials/certificates/trusted-cas.ts';
import type { ExternalJwts } from './credentials/external-jwt/external-jwts.ts';
import type { Guessable } from './credentials/passwords/guessable-passwords.ts';
import type { Entities } from './crud/entity.ts';
import type { JsonSchemas } from './entities/json-schemas/json-schemas.ts';
import type { NetworkView } from './network/router-connections/network-view.ts';
import type { RouterNetwork } from './network/router-connections/router-network.ts';
import type { EnrollmentSigner } from './pki/enrollment-signer.ts';
import type { NetworkPki } from './pki/network-pki.ts';
import type { SessionSigner } from './pki/session-signer.ts';
import type { ActiveSession } from './sessions/active-session.ts';
import type { AuthQuery } from './sessions/auth-state.ts';
import type { Principals } from './sessions/principals.ts';
import type { UnreadSignOuts } from './sessions/unread-sign-outs.ts';
import type { EntityStore } from './storage/entity-store/entity-store.ts';
import type { Peers } from './storage/peers/peers.ts';
import type { EndedSessions } from './storage/revocation/ended-sessions.ts';
import type { Outbox } from './storage/revocation/outbox.ts';
import type { SessionStore } from './storage/session-store/session-store.ts';

/** The services that the composition root creates once for all calls. A layer asks for those that it needs. */
export interface Services {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly entities: EntityStore;
  /** The definitions of all entities. */
  readonly definitions: Entities;
  readonly sessions: SessionStore;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
  readonly unreadSignOuts: UnreadSignOuts;
  readonly principals: Principals;
  readonly serviceUpdates: ServiceUpdates;
  /** What policies say about services. */
  readonly serviceAccess: ServiceAccess;
  /** What clients say about their devices. */
  readonly posture: LivePosture;
  readonly serviceSessions: ServiceSessions;
  /** The controllers that share the stores. */
  readonly peers: Peers;
  /** The edge routers that are connected. */
  readonly routerNetwork: RouterNetwork;
  /** Where edge routers reach the controllers. `null`: nowhere. */
  readonly routerAddresses: () => readonly string[] | null;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  /** The CAs whose certificates enroll by themselves. */
  readonly enrollingCas: TrustedCas;
  readonly passwords: PasswordHasher;
  /** Which new passwords somebody could guess. */
  readonly guessable: Guessable;
  readonly sealer: Sealer;
  readonly pki: NetworkPki;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly sessionSigner: SessionSigner;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Sign where the audit log ends. */
  readonly checkpoints: Checkpoints;
  readonly checkpointSigner: CheckpointSigner;
  /** All kinds of authentication queries, in the order of the wire. */
  readonly authQueries: readonly AuthQuery[];
  readonly externalJwts: ExternalJwts;
  /** Checks the data of configs. */
  readonly jsonSchemas: JsonSchemas;
  /** What the connected routers carry. */
  readonly network: NetworkView;
}

/** The handlers of an API tree, whatever services they need. */
export type Handlers<T extends ApiTree> = HandlersWith<T, Services, ActiveSession>;
