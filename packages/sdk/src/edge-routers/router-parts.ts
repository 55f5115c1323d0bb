import type { CallOptions } from '../api/call-options.ts';
import type { ClientState } from '../api/client-state.ts';
import type { EdgeEvents } from '../api/edge-events.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { ServiceDetail } from '../api/generated/entities.ts';
import type { ServiceSessions } from '../api/service-sessions.ts';
import type { Session } from '../api/session.ts';
import type { Listen } from '../lib/emitter.ts';

/** A certificate with its key, in PEM. */
export interface Credentials {
  readonly key: string;
  readonly cert: string;
}

/** What connections through edge routers need of a client. */
export interface RouterParts {
  readonly edge: {
    readonly session: Session | null;
    readonly state: ClientState;
    readonly on: Listen<EdgeEvents>;
    readonly client: Pick<ClientCalls, 'currentApiSession' | 'currentApiSessionCertificates'>;
    readonly sessions: Pick<ServiceSessions, 'create'>;
  };
  /** Finds a service by its name or id. Answers its posture queries. */
  readonly findService: (nameOrId: string, options: CallOptions) => Promise<ServiceDetail | undefined>;
  /** The token of the API session. Throws `EdgeAuthQueryError` `NO_SESSION` without one. */
  readonly token: () => Promise<string>;
  /** The client certificate of the client, if it has one. */
  readonly identity: () => Credentials | null;
  /** PEM of the CA certificates that routers are verified with. */
  readonly authorities: (options: CallOptions) => Promise<string | readonly string[]>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds for one dial or bind. */
  readonly timeout: number;
}
