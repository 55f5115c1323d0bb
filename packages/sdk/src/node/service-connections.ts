import { filter } from '../calls/filter.ts';
import type { EdgeClient } from '../client/edge-client.ts';
import type { BindOptions } from '../edge-routers/bind-options.ts';
import type { DialOptions } from '../edge-routers/dial-options.ts';
import type { EdgeConnection } from '../edge-routers/edge-connection.ts';
import type { EdgeRouters } from '../edge-routers/edge-routers.ts';
import type { RouterParts } from '../edge-routers/router-parts.ts';
import type { ServiceBinding } from '../edge-routers/service-binding.ts';
import { caBundlePem } from '../enrollment/ca-bundle.ts';
import { EdgeInvalidResponseError } from '../errors/errors.ts';
import { loadCode } from '../errors/load-code.ts';
import { systemClock } from '../lib/clock.ts';
import { DialingAgent } from './dialing-agent.ts';
import { DialingSocket } from './dialing-socket.ts';
import type { ServiceAgent, ServiceAgentOptions } from './service-agent.ts';
import type { ServiceHandler, ServiceServer } from './service-server.ts';
import { serve } from './service-server.ts';
import type { ServiceSocket } from './service-socket.ts';

/** Connections to services, and services that this process hosts. They go through the edge routers of the network. */
export interface ServiceConnections {
  /**
   * Connects to a host of a service, through the edge router of the service that answers first. Later dials use the same channel to
   * the router. If the service requires it, what is sent is encrypted from this end to the other one. A router that changes the keys of both
   * ends can read and change it nevertheless, unless both ends `authenticate`.
   *
   * @param service Its name or id. The identity needs the permission to dial it.
   * @throws EdgeConnectionError; EdgeTimeoutError after `timeout`; the reason of `signal`; EdgeAuthQueryError `NO_SESSION`; EdgeApiError
   *   when the controller refuses a session for the service: `isInvalidPosture(error)`
   * @example
   * const connection = await edge.dial('echo', { timeout: 5_000 });
   * connection.end('hello');
   * for await (const chunk of connection) process.stdout.write(chunk);
   */
  dial(service: string, options?: DialOptions): Promise<EdgeConnection>;
  /**
   * Connects as `dial` does, and returns a socket at once, as `net.connect` does: for clients of databases that make their own
   * connections. When the other end has ended its side, the socket ends, too, unless `allowHalfOpen` is true.
   *
   * @example
   * const pool = new pg.Pool({ database: 'wiki', user: 'ada', stream: () => edge.connect('postgres') });
   */
  connect(service: string, options?: DialOptions): ServiceSocket;
  /**
   * Hosts a service on all its edge routers that can be reached. Resolves when the first of them has it, and the controller knows it.
   *
   * @param service Its name or id. The identity needs the permission to bind it.
   * @throws as `dial`; TypeError for an invalid cost or precedence
   * @example
   * await using binding = await edge.bind('echo');
   * for await (const connection of binding) connection.pipe(connection);
   */
  bind(service: string, options?: BindOptions): Promise<ServiceBinding>;
  /**
   * Lets a server listen on a service, without a port of this machine.
   *
   * @throws as `bind`
   * @example
   * await using hosted = await edge.server('wiki', app.callback()); // Koa; or an Express app, or a server of node:http
   */
  server(service: string, handler: ServiceHandler, options?: BindOptions): Promise<ServiceServer>;
  /**
   * Returns an agent for `http.request`, and for all that takes an agent (axios: `httpAgent`; got: `agent.http`), whose requests reach
   * a service. It has a `fetch` for what takes one, such as ky. It dials with the first request. `agent.destroy()` closes its
   * connections.
   *
   * @example
   * const agent = edge.agent('wiki');
   * http.get('http://wiki/pages', { agent }, (response) => response.pipe(process.stdout));
   * const response = await agent.fetch('http://wiki/pages');
   */
  agent(service: string, options?: ServiceAgentOptions): ServiceAgent;
}

/** What the client was created with. */
export interface ClientSettings {
  readonly url: string | URL;
  readonly sessionHeader: string;
  /** Milliseconds. */
  readonly timeout: number;
  readonly identity: RouterParts['identity'];
  /** PEM of the CA certificates to trust. `undefined`: those of the platform. */
  readonly authorities: () => string | readonly string[] | undefined;
}

/** The connections of a client. Their code is loaded with the first of them. */
export function serviceConnections(
  edge: EdgeClient,
  settings: ClientSettings,
): ServiceConnections & { end(reason: unknown): void } {
  let loaded: EdgeRouters | undefined;

  async function load(): Promise<EdgeRouters> {
    const { EdgeRouters } = await loadCode(() => import('../edge-routers/edge-routers.ts'));
    loaded ??= new EdgeRouters(partsOf(edge, settings));
    return loaded;
  }

  const dial: ServiceConnections['dial'] = async (service, options) => (await load()).dial(service, { ...options });
  const bind: ServiceConnections['bind'] = async (service, options) => (await load()).bind(service, { ...options });
  const connect: ServiceConnections['connect'] = (service, options = {}) =>
    new DialingSocket((more) => dial(service, more), options);
  return {
    ...{ dial, bind, connect },
    server: (service, handler, options = {}) => serve((more) => bind(service, more), handler, options),
    agent: (service, options = {}) => new DialingAgent((more) => connect(service, more), options),
    end: (reason) => loaded?.dispose(reason),
  };
}

function partsOf(
  edge: EdgeClient,
  { url, sessionHeader, timeout, identity, authorities }: ClientSettings,
): RouterParts {
  return {
    ...{ edge, timeout, identity, clock: systemClock },
    async findService(nameOrId, options) {
      const { data } = await edge.services.list({ filter: filter`name = ${nameOrId} or id = ${nameOrId}` }, options);
      return data.find(({ name }) => name === nameOrId) ?? data[0];
    },
    async token() {
      const { [sessionHeader]: token = '' } = await edge.authorization(url);
      return token;
    },
    async authorities(options) {
      const given = authorities();
      if (given) return given;
      // A controller with a certificate of a public CA says itself who has issued those of its routers.
      const pem = caBundlePem(await edge.client.wellKnown.caCertificates(options));
      if (pem === null) throw new EdgeInvalidResponseError(String(url), 200);
      return pem;
    },
  };
}
