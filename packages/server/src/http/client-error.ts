import type { Duplex } from 'node:stream';
import { ApiError } from '../core/api-error.ts';
import { shortId } from '../core/secrets/ids.ts';
import { maxHeaderSize } from '../core/start/max-header-size.ts';
import { errorResponse } from './error-response.ts';
import { safeHeaders } from './middleware/security-headers.ts';

const tooLarge = { code: 'UNHANDLED', message: `the first line and the headers may have ${maxHeaderSize} bytes` };

/** The error for a connection that sent no readable HTTP. `null`: the connection has failed, so no response can be sent. */
export function reasonOf({ code = '' }: NodeJS.ErrnoException): ApiError | null {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('REQUEST_HEADERS_TOO_LARGE', { cause: tooLarge });
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new ApiError('REQUEST_ENTITY_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('REQUEST_TIMEOUT');
  if (!code.startsWith('HPE_') && !code.startsWith('ERR_HTTP_')) return null;
  return new ApiError('COULD_NOT_PARSE_BODY', {
    cause: { code: 'UNHANDLED', message: 'the request is not valid HTTP' },
  });
}

/** Sends the error envelope on a connection that no application serves, and closes the connection. */
export function endWithError(error: ApiError, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy();
  const { status, body } = errorResponse(error, shortId());
  const headers = [
    ['Content-Type', 'application/json'],
    ['Content-Length', Buffer.byteLength(body)],
    ...safeHeaders,
    ['Connection', 'close'],
  ].map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} \r\n${headers.join('')}\r\n${body}`, () => socket.destroy());
}
