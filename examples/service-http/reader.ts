import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { isEdgeConnectionError } from '@edge-controller/sdk/node';

/** Reads a page of the service. */
export async function readPage(edge: NodeEdgeClient, service: string): Promise<string> {
  const agent = edge.agent(service);
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
  service: string,
  onTick: (tick: string) => void,
): Promise<string> {
  const connection = await edge.dial(service);
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
