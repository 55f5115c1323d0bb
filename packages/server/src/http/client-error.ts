import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApiError } from '../api-error.ts';
import { shortId } from '../lib/ids.ts';
import { errorBody } from './envelope.ts';

/** Answers what is no readable HTTP request with an error envelope, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const code = error.code ?? '';
  const isHttp = code.startsWith('HPE_') || code.startsWith('ERR_HTTP_');
  if (!isHttp || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = errorBody(reasonOf(code), shortId());
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
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
