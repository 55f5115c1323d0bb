import type {
  ClientHello,
  RouterInterface as ReportedInterface,
  RouterInterfaces,
} from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { RouterInterface } from '../../network/router-connections/connected-router.ts';
import type { MessageHandler, RouterHandler } from '../dependencies.ts';
import { sendControllers } from '../welcome.ts';

const maxListeners = 20;
const maxInterfaces = 200;
const maxAddresses = 50;
/** Characters. */
const maxTextLength = 500;
const isShort = (text: string) => text.length <= maxTextLength;

/** The message that something was done. */
export const success = {
  type: controlTypes.result,
  headers: new Map([[controlHeaders.isSuccess, headerValue.boolean(true)]]),
};

export const ping: RouterHandler = ({ router, frame }) => void router.reply(frame, success);

/** The router says where applications reach it, and gets the API sessions that may use it. */
export const clientHello: MessageHandler<ClientHello> = async (
  { router, network, apiSessions },
  { hostname, listeners },
) => {
  const addresses = listeners.slice(0, maxListeners).flatMap(({ advertise }) => {
    if (!advertise?.protocol || !advertise.hostname) return [];
    const { protocol, hostname: host, port } = advertise;
    if (![protocol, host].every(isShort)) return [];
    return [[protocol, `${protocol}://${host.includes(':') ? `[${host}]` : host}:${port}`]];
  });
  const supportedProtocols = Object.fromEntries(addresses);
  network.set(
    router.id,
    router.show({ hostname: hostname.slice(0, maxTextLength), supportedProtocols, syncStatus: 'SYNC_IN_PROGRESS' }),
  );
  await apiSessions.sendAll(router);
  if (router.channel.isOpen) network.set(router.id, router.show({ syncStatus: 'SYNC_DONE' }));
};

export const routerInterfaces: MessageHandler<RouterInterfaces> = ({ router, frame, network }, { interfaces }) => {
  const short = interfaces
    .slice(0, maxInterfaces)
    .filter(({ name, hardwareAddress }) => isShort(name + hardwareAddress));
  network.set(router.id, router.show({ interfaces: short.map(shown) }));
  router.reply(frame, success);
};

/** Asks where the controllers are. */
export const requestControllers: RouterHandler = (call) => sendControllers(call, call.router);

export const subscribeToDataModel: RouterHandler = ({ router, frame, dataModel }) => dataModel.subscribe(router, frame);

/** Bits of the flags of an interface, as Go numbers them. */
const flags = { isUp: 1n, isBroadcast: 2n, isLoopback: 4n, isMulticast: 16n, isRunning: 32n } as const;

function shown({ name, hardwareAddress, mtu, index, flags: bits, addresses }: ReportedInterface): RouterInterface {
  const has = (flag: keyof typeof flags) => (bits & flags[flag]) !== 0n;
  return {
    ...{ name, hardwareAddress, mtu: Number(mtu), index: Number(index) },
    addresses: addresses.slice(0, maxAddresses).filter(isShort),
    ...{ isUp: has('isUp'), isBroadcast: has('isBroadcast'), isLoopback: has('isLoopback') },
    ...{ isMulticast: has('isMulticast'), isRunning: has('isRunning') },
  };
}
