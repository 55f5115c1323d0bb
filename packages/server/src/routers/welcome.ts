import { encode, ServerHelloSchema, UpdateControllersSchema } from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import { base62Id } from '../core/secrets/ids.ts';
import type { ConnectedRouter } from '../network/router-connections/connected-router.ts';
import { offline } from '../network/router-connections/connected-router.ts';
import type { Message } from './channel/message.ts';
import type { RouterRow } from './check-router.ts';
import type { Parts } from './dependencies.ts';
import type { ChannelGroup, Hello } from './hello.ts';
import type { LiveRouter } from './live-router.ts';

/** What routers take the controller for: which messages it knows. */
const version = 'v1.7.2';
const versionInfo = `${version}|unknown|unknown|linux|amd64`;
/** Terminators, circuits and the data model: bits 1 to 4. */
const capabilities = Uint8Array.of(0x1e);
/** The same, and bit 6: the tokens of sessions are JWTs. Without bit 5, a channel has one connection. */
const capabilitiesOfVersion2 = Uint8Array.of(0x5e);

/** The answer to a hello. `controllerId` is what the router remembers the controllers of the network by. */
export function helloAnswer(controllerId: string, group: ChannelGroup | null): Message {
  const headers = new Map<number, Uint8Array>([
    [controlHeaders.isSuccess, headerValue.boolean(true)],
    [controlHeaders.connectionId, headerValue.text(group?.connectionId ?? base62Id())],
    [controlHeaders.answeringId, headerValue.text(controllerId)],
    [controlHeaders.versionInfo, headerValue.text(versionInfo)],
    ...(group ? groupHeaders(group) : [[controlHeaders.capabilities, capabilities] as const]),
  ]);
  return { type: controlTypes.result, headers };
}

function groupHeaders({ type, secret }: ChannelGroup): readonly (readonly [number, Uint8Array])[] {
  return [
    [controlHeaders.channelType, headerValue.text(type)],
    [controlHeaders.isGrouped, headerValue.boolean(true)],
    [controlHeaders.groupSecret, secret],
    [controlHeaders.groupedCapabilities, capabilitiesOfVersion2],
  ];
}

/**
 * Tells a router of version 2 where the controllers are: it connects again to those alone, once it has closed a connection itself. With
 * several addresses nobody knows which controller is behind which, and a router leaves those that are not named.
 */
export function sendControllers(
  { controllerId, controllerAddresses }: Pick<Parts, 'controllerId' | 'controllerAddresses'>,
  router: LiveRouter,
): void {
  const addresses = controllerAddresses();
  if (!router.hello.group || addresses === null) return;
  const controllers = [{ id: controllerId(), endpoints: addresses.map((address) => ({ address })) }];
  const body = encode(UpdateControllersSchema, { index: 1n, isLeader: true, controllers });
  router.send({ type: controlTypes.updateControllers, body });
}

/** Asks a router where applications reach it. */
export const serverHello: Message = {
  type: controlTypes.serverHello,
  headers: new Map([[controlHeaders.hasDataModel, headerValue.boolean(true)]]),
  body: encode(ServerHelloSchema, { version, data: { instant: 'true', routerModel: 'true' } }),
};

/** What administrators see of a router before it has answered. */
export function shownRouter(
  { routerId, linkListeners, managesLinks, ...hello }: Hello,
  row: RouterRow,
): ConnectedRouter {
  const { cost, noTraversal } = row;
  const connection = { ...offline, isOnline: true, syncStatus: 'SYNC_HELLO_WAIT', versionInfo: hello.version };
  const links = { linkListeners: Buffer.from(linkListeners).toString('base64'), managesLinks };
  return { ...connection, ...links, id: routerId, cost, noTraversal };
}
