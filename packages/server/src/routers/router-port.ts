import type { ServerKeys } from '../http/tls-options.ts';
import type { Logger } from '../lib/log.ts';
import type { RouterNetwork } from '../router-connections/router-network.ts';
import { ControlListener } from './control-listener.ts';
import { Routers } from './routers.ts';
import type { Parts } from './services.ts';

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
}

type Services = Omit<Parts, 'controllerId' | 'log' | 'network'> & { readonly routerNetwork: RouterNetwork };

/** Creates the port for edge routers. Nothing listens before `open`. */
export function createRouterPort(services: Services, { bind, tls, log }: Options): RouterPort {
  const { routerNetwork: network, pki } = services;
  // All controllers of a network have the same trust domain, and keep it.
  const routers = new Routers({ ...services, network, log, controllerId: () => pki.trustDomain });
  const onConnection: typeof routers.accept = (socket, onKnown) => routers.accept(socket, onKnown);
  const listener = new ControlListener({ bind, tls: tls(), log, onConnection });
  return {
    async open() {
      await routers.start();
      return await listener.open();
    },
    renew: (keys) => listener.renew(keys),
    async close() {
      await listener.close();
      await routers.close();
    },
  };
}
