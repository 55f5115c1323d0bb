import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { FetchFailed } from './fetch-failed.ts';

/** Bytes. */
const maxBody = 1_048_576;
/** A body that comes byte by byte costs a thousand times the work of others. */
const maxPieces = 16_384;

/**
 * Reads the body of a response: at most 1 MiB.
 *
 * @throws FetchFailed for a body beyond that, or the error of the connection
 */
export function readBody(response: IncomingMessage): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let length = 0;
  response.on('data', (piece: Buffer) => {
    length += piece.length;
    if (length > maxBody) response.destroy(new FetchFailed(`The body has more than ${maxBody / 1_024} KiB.`));
    else if (pieces.push(piece) > maxPieces) {
      response.destroy(new FetchFailed(`The body has more than ${maxPieces} pieces.`));
    }
  });
  finished(response, (error) => (error ? reject(error) : resolve(Buffer.concat(pieces))));
  return promise;
}
