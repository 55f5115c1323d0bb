import type { ApiTree, Data, DocumentType, Input, Operation } from '@edge-controller/shared-types';
import type { Settings } from './config/schema.ts';
import type { EventBus } from './events/bus.ts';
import type { Clock } from './lib/clock.ts';
import type { PasswordHasher } from './lib/password-hash.ts';
import type { Sealer } from './lib/sealer.ts';
import type { EnrollmentSigner } from './pki/enrollment-signer.ts';
import type { ActiveSession } from './sessions/active-session.ts';
import type { AuthQuery } from './sessions/auth-state.ts';
import type { Principal, Principals } from './sessions/principals.ts';
import type { EntityStore } from './stores/entity-store.ts';
import type { Outbox } from './stores/outbox.ts';
import type { Page } from './stores/page.ts';
import type { SessionStore } from './stores/session-store.ts';

/** What the composition root builds once and every call can reach. */
export interface Services {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly outbox: Outbox;
  readonly principals: Principals;
  readonly passwords: PasswordHasher;
  readonly sealer: Sealer;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly events: EventBus;
  /** Every kind of authentication query, in the order of the wire. */
  readonly authQueries: readonly AuthQuery[];
  /** Ids of the external JWT signers of whom a valid token of this identity is among the bearer tokens. */
  readonly verifyBearerTokens: (tokens: readonly string[], principal: Principal) => Promise<ReadonlySet<string>>;
}

/** What a request presents to prove who sends it. Nothing of it is verified yet. */
export interface Credentials {
  /** Token of an API session, from the first session header that is not empty. */
  readonly sessionToken: string | null;
  /** The tokens of all `Authorization: Bearer` headers, in order; at most three. */
  readonly bearerTokens: readonly string[];
  /**
   * The certificates that the client presented on this TLS connection: DER, the leaf first, the others as they were
   * sent. Only the key of the leaf is proven. Empty: none, too many, or a resumed TLS session.
   */
  readonly certificates: readonly Buffer[];
}

/** One request as a handler sees it. */
export interface Call extends Services {
  /** Id of the request in the logs and in error responses. */
  readonly requestId: () => string;
  readonly api: 'client' | 'management';
  /** Address of the client behind the trusted proxies, without port. */
  readonly clientAddress: string;
  readonly credentials: Credentials;
  /** The type that `Accept` chose among those that the operation produces. */
  readonly responseType: DocumentType;
  /** Sets a header of the response, beside the usual ones. */
  readonly setHeader: (name: string, value: string) => void;
}

/** A call whose API session was read, touched and found to have the access that the operation asks for. */
export interface SessionCall extends Call {
  readonly session: ActiveSession;
}

type CallFor<O extends Operation> = O['access'] extends 'anyone' ? Call : SessionCall;

interface Outputs<D> {
  detail: D;
  list: Page<D>;
  create: { id: string; href?: string };
  created: D;
  /** Whatever it returns is not sent. */
  empty: unknown;
  document: string | Uint8Array;
}

export type Handler<O extends Operation> = (
  call: CallFor<O>,
  input: Input<O>,
) => Promise<Outputs<Data<O>>[O['result']]>;

/** Handlers of a whole API tree; a missing one is a compile error that names it. */
export type Handlers<T extends ApiTree> = { [R in keyof T]: { [V in keyof T[R]]: Handler<T[R][V]> } };
