import type { ApiTree, Data, DocumentType, Input, Operation } from '@edge-controller/shared-types';
import type { TrustedCas } from './certificates/trusted-cas.ts';
import type { Settings } from './config/schema.ts';
import type { Entities } from './crud/define-entity.ts';
import type { EntityStore } from './entity-store/entity-store.ts';
import type { EventBus } from './events/bus.ts';
import type { ExternalJwts } from './external-jwt/external-jwts.ts';
import type { Clock } from './lib/clock.ts';
import type { Page } from './lib/filter/page.ts';
import type { InParts } from './lib/in-parts.ts';
import type { PasswordHasher } from './lib/password-hash.ts';
import type { Sealer } from './lib/sealer.ts';
import type { EnrollmentSigner } from './pki/enrollment-signer.ts';
import type { NetworkPki } from './pki/network-pki.ts';
import type { EndedSessions } from './revocation/ended-sessions.ts';
import type { Outbox } from './revocation/outbox.ts';
import type { SessionStore } from './session-store/session-store.ts';
import type { ActiveSession } from './sessions/active-session.ts';
import type { AuthQuery } from './sessions/auth-state.ts';
import type { Principals } from './sessions/principals.ts';

/** The services that the composition root creates once for all calls. */
export interface Services {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly entities: EntityStore;
  /** The definitions of all entities. */
  readonly definitions: Entities;
  readonly sessions: SessionStore;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
  readonly principals: Principals;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  /** The CAs whose certificates enroll by themselves. */
  readonly enrollingCas: TrustedCas;
  readonly passwords: PasswordHasher;
  readonly sealer: Sealer;
  readonly pki: NetworkPki;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly events: EventBus;
  /** All kinds of authentication queries, in the order of the wire. */
  readonly authQueries: readonly AuthQuery[];
  readonly externalJwts: ExternalJwts;
}

/** The credentials that a request presents. They are not verified yet. */
export interface Credentials {
  /** Token of an API session, from the first session header that is not empty. */
  readonly sessionToken: string | null;
  /** The tokens of all `Authorization: Bearer` headers, in order; at most three. */
  readonly bearerTokens: readonly string[];
  /**
   * The certificates that the client presented on this TLS connection, in DER: the leaf, then the issuers that Node links to
   * it. TLS has proven only the key of the leaf. Empty when there are none or too many, or when the TLS session was resumed.
   */
  readonly certificates: readonly Buffer[];
  /** The leaf, then all others in the order in which they were sent, as far as they can be read without a leak. */
  readonly sentCertificates: readonly Buffer[];
}

/** One request as a handler sees it. */
export interface Call extends Services {
  /** Id of the request in the logs and in error responses. */
  readonly requestId: () => string;
  readonly api: 'client' | 'management';
  /** Address of the client, without port. Behind trusted proxies it comes from `X-Forwarded-For`. */
  readonly clientAddress: string;
  readonly credentials: Credentials;
  /** The media type of the response. `Accept` selects it from the types that the operation produces. */
  readonly responseType: DocumentType;
  /** Sets an additional header of the response. */
  readonly setHeader: (name: string, value: string) => void;
}

/** A call with an API session that has the access level of the operation. The session was touched. */
export interface SessionCall extends Call {
  readonly session: ActiveSession;
}

/** Who changes data: a request with its API session, or the controller itself. */
export interface Caller extends Services {
  readonly session?: ActiveSession;
}

type CallFor<O extends Operation> = O['access'] extends 'anyone' ? Call : SessionCall;

interface Outputs<D> {
  detail: D | (D extends object ? InParts<D> : never);
  list: Page<D>;
  create: { id: string; href?: string };
  created: D;
  /** The return value is ignored. */
  empty: unknown;
  document: string | Uint8Array;
}

export type Handler<O extends Operation> = (
  call: CallFor<O>,
  input: Input<O>,
) => Promise<Outputs<Data<O>>[O['result']]>;

/** The handlers of an API tree. A missing handler is a compile error that names it. */
export type Handlers<T extends ApiTree> = { [R in keyof T]: { [V in keyof T[R]]: Handler<T[R][V]> } };
