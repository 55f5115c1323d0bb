import type { Agent, AgentOptions } from 'node:http';
import type { DialOptions } from '../edge-routers/dial-options.ts';
import type { NodeFetch } from './node-fetch.ts';

/**
 * Options of `edge.agent`: those of `http.Agent`, and some of `edge.dial`.
 *
 * @example
 * const options: ServiceAgentOptions = { maxSockets: 8, identity: 'wiki-2' };
 * const agent = edge.agent('wiki', options);
 */
export interface ServiceAgentOptions
  extends Pick<AgentOptions, 'keepAlive' | 'maxSockets' | 'maxFreeSockets' | 'scheduling'>,
    Pick<DialOptions, 'identity' | 'appData' | 'authenticate' | 'peer' | 'peerCa'> {
  /** Milliseconds until a connection must be open. Default: that of the client, 30000. */
  readonly dialTimeout?: number | undefined;
}

/**
 * An agent of `node:http` whose requests reach a service, whatever the host of their URLs. It keeps its connections open
 * (`keepAlive`).
 *
 * @example
 * const agent: ServiceAgent = edge.agent('wiki');
 * http.get('http://wiki/pages', { agent }, (response) => response.pipe(process.stdout));
 * const pages = await (await agent.fetch('http://wiki/pages')).json();
 */
export interface ServiceAgent extends Agent {
  /** Like the `fetch` of the platform, for `http:` URLs. It sends no token. */
  readonly fetch: NodeFetch;
}
