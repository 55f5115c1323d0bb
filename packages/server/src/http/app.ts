import Koa from 'koa';
import type { HttpOptions } from './serve.ts';
import { createServe } from './serve.ts';

export type { HttpOptions } from './serve.ts';

/** The Koa application that serves both APIs. */
export function createHttpApp(options: HttpOptions): Koa {
  const app = new Koa();
  const serve = createServe(options);
  // Koa reports broken connections here; without a listener it writes them to standard error.
  app.on('error', (error) => options.log.debug({ err: error }, 'connection failed'));
  app.use((context) => serve(context.req, context.res));
  // `serve` writes every answer to the socket as one string and never rejects. Koa has nothing to add, but would listen
  // to the end of each response, and what its listeners hold outlives the young generation: a tenth of the rate, and half
  // as much memory again.
  const handleRequest = (context: Koa.Context, middleware: (context: Koa.Context) => Promise<void>) =>
    middleware(context);
  return Object.assign(app, { handleRequest });
}
