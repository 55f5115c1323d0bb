import type { ApiTree, Data, Input, Operation } from '@edge-controller/shared-types';
import type { Settings } from './config/schema.ts';
import type { EventBus } from './events/bus.ts';
import type { Clock } from './lib/clock.ts';
import type { PasswordHasher } from './lib/password-hash.ts';
import type { Sealer } from './lib/sealer.ts';
import type { EnrollmentSigner } from './pki/enrollment-signer.ts';
import type { Principals } from './sessions/principals.ts';
import type { ActiveSession } from './sessions/session.ts';
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
}

/** One request as a handler sees it. */
export interface Call extends Services {
  /** Id of the request in the logs and in error answers. */
  readonly requestId: () => string;
  readonly api: 'client' | 'management';
  /** Address of the client behind the trusted proxies, without port. */
  readonly clientAddress: string;
  /** Headers that the answer will carry beside the usual ones. */
  readonly responseHeaders: Map<string, string>;
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
  /** Whatever it returns is not sent. */
  empty: unknown;
  png: Uint8Array;
}

export type Handler<O extends Operation> = (
  call: CallFor<O>,
  input: Input<O>,
) => Promise<Outputs<Data<O>>[O['answer']]>;

/** Handlers of a whole API tree; a missing one is a compile error that names it. */
export type Handlers<T extends ApiTree> = { [R in keyof T]: { [V in keyof T[R]]: Handler<T[R][V]> } };
