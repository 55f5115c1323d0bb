import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Logger } from '../../core/log/log.ts';
import { errorResponse } from '../error-response.ts';
import type { Context, Middleware } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';

/** Milliseconds in which a client that is still sending its body may read the error. */
const lingerLimit = 1_000;

/** Turns whatever is thrown behind it into the error envelope. An error without a status of its own is logged. */
export function errorEnvelope(log: Logger): Middleware {
  return (ctx, next) => next().catch((error: unknown) => respondWithError(ctx, error, log));
}

function respondWithError(ctx: Context, error: unknown, log: Logger): void {
  const { code, status, headers, body } = errorResponse(error, requestIdOf(ctx));
  if (code !== null) ctx.state.errorCode = code;
  if (status >= 500) log.error({ err: error, requestId: requestIdOf(ctx) }, 'request failed');
  ctx.status = status;
  ctx.set({ ...headers, 'Content-Type': 'application/json' });
  if (ctx.req.complete) {
    ctx.body = body;
    return;
  }
  // The rest of the body is discarded, so that the client reads the error before the connection is closed.
  ctx.set('Connection', 'close');
  ctx.body = Readable.from(linger(body, ctx.req), { objectMode: false });
  ctx.length = Buffer.byteLength(body);
}

async function* linger(body: string, request: IncomingMessage): AsyncGenerator<string> {
  yield body;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, lingerLimit);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    request.once('end', end).once('close', end).resume();
  });
}
