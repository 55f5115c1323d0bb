import type { Logger } from '../../core/log/log.ts';
import type { Context } from '../request-state.ts';
import { requestIdOf } from '../request-state.ts';
import type { Observer } from './on-completion.ts';

/**
 * One line per request when its response is complete or the client is gone: `debug` for successful reads, `info` for all
 * others. It never shows a header, a query or a body.
 */
export function accessLog(log: Logger): Observer {
  return (ctx, milliseconds) => writeLine(log, ctx, milliseconds);
}

function writeLine(log: Logger, ctx: Context, milliseconds: number): void {
  const level = ctx.method === 'GET' && ctx.res.statusCode < 400 ? 'debug' : 'info';
  if (!log.isLevelEnabled(level)) return;
  const line = {
    method: ctx.method,
    path: ctx.originalUrl.split('?', 1)[0]?.slice(0, 512),
    status: ctx.res.statusCode,
    ms: Math.round(milliseconds * 10) / 10,
    requestId: requestIdOf(ctx),
    clientAddress: ctx.ip,
    identityId: ctx.state.session?.principal.id,
    traceId: ctx.state.traceId,
  };
  log[level](line, 'request');
}
