import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeConnection, NodeEdgeClient, ServiceServer } from '@edge-controller/sdk/node';
import Koa from 'koa';

/** Lets the application listen on the service. Only who can prove to be an identity of the network reaches it. */
export function serveWiki(edge: NodeEdgeClient, service: string): Promise<ServiceServer> {
  const app = new Koa();
  app.use((context) => {
    if (context.path === '/clock') context.body = Readable.from(ticks());
    else context.body = `${context.path} as ${context.host} has it, for ${readerOf(context.req)}`;
  });
  // A client that goes away is no fault of the application.
  app.silent = true;
  return edge.server(service, app.callback(), { authenticate: true });
}

/** The id of the identity that asks. No router can change it. */
function readerOf({ socket }: IncomingMessage): string {
  const { peer } = socket as Socket & Pick<EdgeConnection, 'peer'>;
  return peer?.id ?? 'nobody';
}

async function* ticks(): AsyncGenerator<string> {
  for (let tick = 1; ; tick += 1) {
    yield `tick ${tick}\n`;
    await sleep(100);
  }
}
