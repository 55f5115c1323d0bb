import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  decode,
  encode,
  LinkListenersSchema,
  PeerState,
  PeerStateChangesSchema,
} from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { ConnectedRouter } from '../network/router-connections/connected-router.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import type { LiveRouter } from './live-router.ts';

type Changes = NonNullable<MessageInitShape<typeof PeerStateChangesSchema>['changes']>;

/** Tells routers which other routers are there, so that they dial links. */
export class PeerStates {
  readonly #network: RouterNetwork;
  readonly #routers: () => Iterable<LiveRouter>;
  /** What was sent of each router. */
  #sent = new Map<string, ConnectedRouter>();

  constructor(network: RouterNetwork, routers: () => Iterable<LiveRouter>) {
    this.#network = network;
    this.#routers = routers;
  }

  /** Tells a router that has connected about all others. */
  introduce(router: LiveRouter): void {
    const others = this.#network.routers().filter(({ id }) => id !== router.id);
    this.#send([router], others.map(healthy));
  }

  /** Tells all routers what has changed since the last time. */
  update(): void {
    const now = new Map(this.#network.routers().map((router) => [router.id, router]));
    const changes: Changes = [
      ...[...now.values()].filter((router) => !isSame(this.#sent.get(router.id), router)).map(healthy),
      ...[...this.#sent.keys()].filter((id) => !now.has(id)).map((id) => ({ id, state: PeerState.UNHEALTHY })),
    ];
    this.#sent = now;
    this.#send(this.#routers(), changes);
  }

  /** A router was deleted: nobody dials it any more. */
  remove(id: string): void {
    this.#sent.delete(id);
    this.#send(this.#routers(), [{ id, state: PeerState.REMOVED }]);
  }

  #send(routers: Iterable<LiveRouter>, changes: Changes): void {
    for (const router of routers) {
      const ofOthers = changes.filter(({ id }) => id !== router.id);
      if (ofOthers.length === 0 || !router.hello.managesLinks) continue;
      const body = encode(PeerStateChangesSchema, { changes: ofOthers });
      router.send({ type: controlTypes.peerStateChanges, body });
    }
  }
}

/** The version as the router has said it: it decides in which form a link is dialed. */
function healthy({ id, versionInfo, linkListeners }: ConnectedRouter) {
  const { listeners } = decode(LinkListenersSchema, Buffer.from(linkListeners, 'base64'));
  return { id, version: versionInfo.version, state: PeerState.HEALTHY, listeners };
}

function isSame(one: ConnectedRouter | undefined, other: ConnectedRouter): boolean {
  return one?.linkListeners === other.linkListeners && one.versionInfo.version === other.versionInfo.version;
}
