import { Agent } from 'node:http';
import type { DialOptions } from '../edge-routers/dial-options.ts';
import type { NodeFetch } from './node-fetch.ts';
import { fetchWith } from './node-fetch.ts';
import type { ServiceAgent, ServiceAgentOptions } from './service-agent.ts';
import type { ServiceSocket } from './service-socket.ts';

type Connect = (options: DialOptions) => ServiceSocket;

/** Opens a connection to a service for each socket that a request needs. */
export class DialingAgent extends Agent implements ServiceAgent {
  readonly fetch: NodeFetch;
  readonly #connect: () => ServiceSocket;

  constructor(connect: Connect, { dialTimeout, ...options }: ServiceAgentOptions) {
    const { identity, appData, authenticate, peer, peerCa, ...ofAgent } = options;
    super({ keepAlive: true, ...ofAgent });
    this.#connect = () => connect({ identity, appData, authenticate, peer, peerCa, timeout: dialTimeout });
    this.fetch = fetchWith(() => ({ 'http:': this }));
  }

  override createConnection(): ServiceSocket {
    return this.#connect();
  }
}
