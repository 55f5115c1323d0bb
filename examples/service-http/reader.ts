import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { isEdgeConnectionError } from '@edge-controller/sdk/node';

/** A service, and the identity that may answer for it. No router can answer in its place, nor read along. */
export interface Hosted {
  readonly service: string;
  readonly hostId: string;
}

/** Reads a page of the service. */
export async function readPage(edge: NodeEdgeClient, { service, hostId }: Hosted): Promise<string> {
  const agent = edge.agent(service, { authenticate: true, peer: hostId });
  try {
    // The host is a name for the server. The agent knows the way.
    return await (await agent.fetch('http://wiki.internal/pages/home')).text();
  } finally {
    agent.destroy();
  }
}

/** Reads a page that never ends. Returns why it has ended nevertheless. */
export async function followClock(
  edge: NodeEdgeClient,
  { service, hostId }: Hosted,
  onTick: (tick: string) => void,
): Promise<string> {
  const connection = await edge.dial(service, { authenticate: true, peer: hostId });
  connection.write('GET /clock HTTP/1.1\r\nhost: wiki.internal\r\n\r\n');
  try {
    for await (const chunk of connection) {
      const [tick] = /tick \d+/.exec(String(chunk)) ?? [];
      if (tick) onTick(tick);
    }
    return 'the server has ended it';
  } catch (error) {
    if (!isEdgeConnectionError(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}
