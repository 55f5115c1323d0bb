import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NodeEdgeClient, ServiceServer } from '@edge-controller/sdk/node';
import Koa from 'koa';

/** Lets the application listen on the service. */
export function serveWiki(edge: NodeEdgeClient, service: string): Promise<ServiceServer> {
  const app = new Koa();
  app.use((context) => {
    if (context.path === '/clock') context.body = Readable.from(ticks());
    else context.body = `${context.path} as ${context.host} has it`;
  });
  // A client that goes away is no fault of the application.
  app.silent = true;
  return edge.server(service, app.callback());
}

async function* ticks(): AsyncGenerator<string> {
  for (let tick = 1; ; tick += 1) {
    yield `tick ${tick}\n`;
    await sleep(100);
  }
}
