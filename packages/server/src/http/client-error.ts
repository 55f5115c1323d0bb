import type { Duplex } from 'node:stream';
import { ApiError, invalidField } from '../api-error.ts';
import { shortId } from '../lib/ids.ts';
import { errorResponse } from './error-response.ts';

/** Responds to what is no readable HTTP request with an error envelope, and closes the connection. */
export function respondToClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const code = error.code ?? '';
  const isHttp = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
  if (isHttp && socket.writable) refuse(reasonOf(code), socket);
  else socket.destroy();
}

/** Refuses a request of HTTP/1.1 without the header `Host` (RFC 9112, 3.2). */
export function missingHost(socket: Duplex): void {
  refuse(invalidField('Host', 'Host in header is required'), socket);
}

function refuse(error: ApiError, socket: Duplex): void {
  const { status, body } = errorResponse(error, shortId());
  socket.end(
    `HTTP/1.1 ${status} \r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

function reasonOf(code: string): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW') return new ApiError('REQUEST_HEADERS_TOO_LARGE');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new ApiError('REQUEST_ENTITY_TOO_LARGE');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('REQUEST_TIMEOUT');
  return new ApiError('COULD_NOT_PARSE_BODY', {
    cause: { code: 'UNHANDLED', message: 'the request is not valid HTTP' },
  });
}
