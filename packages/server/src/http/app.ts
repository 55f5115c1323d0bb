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
  app.use((context) => {
    // The answer is written to the socket as one string; Koa has nothing to add.
    context.respond = false;
    return serve(context.req, context.res);
  });
  return app;
}
