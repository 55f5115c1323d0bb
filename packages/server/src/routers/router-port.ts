import { hostname } from 'node:os';
import type { Settings } from '../core/config/schema.ts';
import type { Logger } from '../core/log/log.ts';
import type { Meter } from '../core/meter.ts';
import type { OnRefused } from '../http/refused-connection.ts';
import type { ServerKeys } from '../http/tls-options.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import { ControlListener } from './control-listener.ts';
import type { Parts } from './dependencies.ts';
import { Routers } from './routers.ts';

/** Where edge routers connect to. */
export interface RouterPort {
  /** Resolves to the port that is bound. */
  open(): Promise<number>;
  renew(keys: ServerKeys): void;
  close(): Promise<void>;
}

interface Options {
  readonly bind: string;
  readonly tls: () => ServerKeys;
  readonly log: Logger;
  readonly onRefused: OnRefused;
  readonly meter: Meter | null;
}

interface Dependencies
  extends Omit<Parts, 'controllerAddresses' | 'controllerId' | 'countUnknownMessages' | 'log' | 'network'> {
  readonly routerNetwork: RouterNetwork;
  readonly routerAddresses: () => readonly string[] | null;
  readonly settings: Pick<Settings, 'routersAddresses'>;
}

/** Creates the port for edge routers. Nothing listens before `open`. */
export function createRouterPort(
  dependencies: Dependencies,
  { bind, tls, log, meter, onRefused }: Options,
): RouterPort {
  const { routerNetwork: network, routerAddresses, settings } = dependencies;
  let port = 0;
  const routers = new Routers({
    ...{ ...dependencies, network, log },
    controllerId: () => controllerIdOf(dependencies, bind),
    // The setting may ask for any free port.
    controllerAddresses: () =>
      settings.routersAddresses.length > 1
        ? null
        : (routerAddresses()?.map((address) => address.replace(/:0$/, `:${port}`)) ?? null),
    countUnknownMessages: meter?.counter('unknownRouterMessages', {}) ?? (() => undefined),
  });
  const onConnection: typeof routers.accept = (socket, onKnown) => routers.accept(socket, onKnown);
  const listener = new ControlListener({ bind, tls: tls(), log, onRefused, onConnection });
  return {
    async open() {
      await routers.start();
      port = await listener.open();
      return port;
    },
    renew: (keys) => listener.renew(keys),
    async close() {
      await listener.close();
      await routers.close();
    },
  };
}

/**
 * The name by which routers know this controller. It stays the same after a restart. Behind one address, all controllers are one for
 * routers. Of several addresses, a router connects to each that has another name.
 */
function controllerIdOf({ pki, settings }: Dependencies, bind: string): string {
  if (settings.routersAddresses.length <= 1) return pki.trustDomain;
  return `${pki.trustDomain}.${hostname()}.${bind.slice(bind.lastIndexOf(':') + 1)}`;
}
