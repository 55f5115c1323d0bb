import type { Frame } from '@edge-controller/shared-types/channel';
import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { ServiceSessions } from '../access/service-sessions/service-sessions.ts';
import type { Logger } from '../core/log/log.ts';
import type { Sealer } from '../core/secrets/sealer.ts';
import type { TrustedCas } from '../credentials/certificates/trusted-cas.ts';
import type { Caller } from '../crud/dependencies.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import type { NetworkPki } from '../pki/network-pki.ts';
import type { AuthQuery } from '../sessions/auth-state.ts';
import type { Principals } from '../sessions/principals.ts';
import type { Peers } from '../storage/peers/peers.ts';
import type { CircuitMessage } from '../storage/peers/topics.ts';
import type { EndedSessions } from '../storage/revocation/ended-sessions.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';
import type { CircuitOpener } from './circuits/circuit-opener.ts';
import type { Circuits } from './circuits/circuits.ts';
import type { RouteSender } from './circuits/route-sender.ts';
import type { DataModel } from './data-model.ts';
import type { LiveRouter } from './live-router.ts';
import type { PeerStates } from './peer-states.ts';
import type { Renewals } from './renewals.ts';
import type { ApiSessionSync } from './sessions/api-session-sync.ts';
import type { Terminators } from './terminators/terminators.ts';

/** What routers need of the controller. */
export interface Parts extends Caller {
  readonly log: Logger;
  readonly pki: NetworkPki;
  readonly sessions: SessionStore;
  readonly principals: Principals;
  readonly authQueries: readonly AuthQuery[];
  readonly sealer: Sealer;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly endedSessions: EndedSessions;
  readonly peers: Peers;
  readonly network: RouterNetwork;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  /** The name of the network's controllers, which routers remember: the same on all of them, and after a restart. */
  readonly controllerId: () => string;
  /** Where routers reach the controllers, `tls:host:port`. `null`: each controller has a name of its own for its address. */
  readonly controllerAddresses: () => readonly string[] | null;
  /** Counts messages that are not known. */
  readonly countUnknownMessages: (by: number) => void;
}

/** What messages of routers need. */
export interface RouterDependencies extends Parts {
  readonly apiSessions: ApiSessionSync;
  readonly circuits: Circuits;
  readonly opener: CircuitOpener;
  readonly sender: RouteSender;
  readonly terminators: Terminators;
  readonly dataModel: DataModel;
  readonly peerStates: PeerStates;
  readonly renewals: Renewals;
  /** Passes on what concerns a circuit of another controller. `null`: it is not there. */
  readonly passOn: (circuitId: string, message: CircuitMessage) => Promise<void> | null;
  /** Whether a circuit is one of another controller that lives. */
  readonly isOfOther: (circuitId: string) => boolean;
}

/** One message of a router. */
export interface RouterCall extends RouterDependencies {
  readonly router: LiveRouter;
  readonly frame: Frame;
}

/** `message`: the body of the frame. */
export type MessageHandler<Message> = (call: RouterCall, message: Message) => Promise<void> | void;

/** Reads the body itself, if there is one. */
export type RouterHandler = (call: RouterCall) => Promise<void> | void;
