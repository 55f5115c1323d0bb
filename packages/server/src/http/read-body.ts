import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-error.ts';

/** Bytes that the body of a request may have. */
export const bodyLimit = 1_048_576;

/** Thrown when the client went away before its body was complete: nobody is left to answer. */
export class BodyInterrupted extends Error {
  override readonly name = 'BodyInterrupted';
}

export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** Refuses a body whose announced length is above the limit, before a byte of it is read. */
export function checkAnnouncedLength(request: IncomingMessage): void {
  const length = request.headers['content-length'];
  if (length !== undefined && Number(length) > bodyLimit) throw new ApiError('REQUEST_ENTITY_TOO_LARGE');
}

/** Reads the body up to the limit (413 above it). With `keep: 'nothing'` it is only counted, and the result is empty. */
export function readBody(request: IncomingMessage, keep: 'everything' | 'nothing'): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (finish: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      finish();
    };
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > bodyLimit) {
        chunks.length = 0;
        settle(() => reject(new ApiError('REQUEST_ENTITY_TOO_LARGE')));
      } else if (keep === 'everything') {
        chunks.push(chunk);
      }
    };
    const onEnd = () => settle(() => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    const onGone = () => settle(() => reject(new BodyInterrupted('the client went away')));
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
}
