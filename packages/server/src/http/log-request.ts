import { errorCatalogue } from '@edge-controller/shared-types';
import { ApiError } from '../api-error.ts';
import type { Logger } from '../lib/log.ts';
import type { Exchange } from './exchange.ts';

/** The lines that a request leaves in the log. Never header values, queries or bodies. */
export const logRequest = {
  /** One line per request: `debug` for reads that went well, `info` for all others. */
  done(log: Logger, exchange: Exchange, milliseconds: number): void {
    const { request, response } = exchange;
    const level = request.method === 'GET' && response.statusCode < 400 ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    const line = {
      method: request.method,
      path: exchange.path.slice(0, 512),
      status: response.statusCode,
      ms: Math.round(milliseconds * 10) / 10,
      requestId: exchange.requestId(),
      clientAddress: exchange.clientAddress,
      identityId: exchange.identityId,
    };
    log[level](line, 'request');
  },
  /** What went wrong behind an answer that does not tell it. */
  failure(log: Logger, exchange: Exchange, error: unknown): void {
    if (error instanceof ApiError && errorCatalogue[error.code].status < 500) return;
    log.error({ err: error, requestId: exchange.requestId() }, 'request failed');
  },
};
