import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import { base62Id } from '../lib/ids.ts';
import type { ConnectedRouter } from '../router-connections/connected-router.ts';
import { offline } from '../router-connections/connected-router.ts';
import { encode } from '../router-messages/codec.ts';
import { ServerHelloSchema } from '../router-messages/generated/router_pb.js';
import type { Message } from './channel/message.ts';
import type { RouterRow } from './check-router.ts';
import type { Hello } from './hello.ts';

/** What routers take the controller for: which messages it knows. */
const version = 'v1.7.2';
const versionInfo = `${version}|unknown|unknown|linux|amd64`;
/** Terminators, circuits and the data model: bits 1 to 4. */
const capabilities = Uint8Array.of(0x1e);

/** The answer to a hello. `controllerId` is what the router remembers the controllers of the network by. */
export function helloAnswer(controllerId: string): Message {
  const headers = new Map([
    [controlHeaders.isSuccess, headerValue.boolean(true)],
    [controlHeaders.connectionId, headerValue.text(base62Id())],
    [controlHeaders.answeringId, headerValue.text(controllerId)],
    [controlHeaders.versionInfo, headerValue.text(versionInfo)],
    [controlHeaders.capabilities, capabilities],
  ]);
  return { type: controlTypes.result, headers };
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
