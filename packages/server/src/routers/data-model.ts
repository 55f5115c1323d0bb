import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { RouterNetwork } from '../router-connections/router-network.ts';
import type { TokenKey } from '../router-connections/shown-network.ts';
import { encode } from '../router-messages/codec.ts';
import {
  DataAction,
  DataChangeSetSchema,
  DataStateSchema,
  KeyFormat,
  KeyUsage,
} from '../router-messages/generated/router_pb.js';
import type { LiveRouter } from './live-router.ts';

/** Of this data model: routers that know another one take over everything. */
const timelineId = 'edge-controller-keys';

/**
 * Tells routers the keys with which the tokens of sessions are signed. Nothing else of the data model is sent: routers need no more for
 * applications with API sessions.
 */
export class DataModel {
  readonly #network: RouterNetwork;
  readonly #routers: () => Iterable<LiveRouter>;
  #sent = new Set<string>();

  constructor(network: RouterNetwork, routers: () => Iterable<LiveRouter>) {
    this.#network = network;
    this.#routers = routers;
  }

  /** A router subscribes: it gets all keys, whatever it says that it has. */
  subscribe(router: LiveRouter, _frame: Frame): void {
    const keys = this.#network.tokenKeys();
    for (const { kid } of keys) this.#sent.add(kid);
    const body = encode(DataStateSchema, { events: keys.map(eventOf), endIndex: 1n, timelineId });
    router.send({ type: controlTypes.dataState, body });
  }

  /** Tells all routers the keys that are new. */
  update(): void {
    const added = this.#network.tokenKeys().filter(({ kid }) => !this.#sent.has(kid));
    if (added.length === 0) return;
    for (const { kid } of added) this.#sent.add(kid);
    // A synthetic change counts whatever its index is.
    const body = encode(DataChangeSetSchema, { index: 1n, isSynthetic: true, changes: added.map(eventOf) });
    for (const router of this.#routers()) router.send({ type: controlTypes.dataChangeSet, body });
  }
}

function eventOf({ kid, spki }: TokenKey) {
  const publicKey = {
    ...{ kid, data: Buffer.from(spki, 'base64'), usages: [KeyUsage.JWT_VALIDATION] },
    format: KeyFormat.SUBJECT_PUBLIC_KEY_INFO,
  };
  return { action: DataAction.CREATE, isSynthetic: true, publicKey };
}
