import type { IncomingMessage } from 'node:http';
import { formatDuration } from '../../core/time/duration.ts';
import { FetchFailed } from './fetch-failed.ts';
import type { RequestParts } from './open-request.ts';
import { openRequest } from './open-request.ts';

/** Milliseconds for the name, TCP and TLS. */
const connectTimeout = 2_000;
/** Responses such as 103, which are no more than hints about the one to come. */
const maxHints = 8;

/**
 * Sends a request and returns its response, whose body is still to come. Fails for all that a provider may do instead of
 * responding.
 *
 * @throws FetchFailed, or the error of the connection
 */
export function sendRequest(url: URL, parts: RequestParts): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = openRequest(url, parts);
  const fail = (reason: string) => request.destroy(new FetchFailed(reason));
  const giveUp = () => fail(`No connection within ${formatDuration(connectTimeout)}.`);
  const timer = setTimeout(giveUp, connectTimeout);
  const connected = () => clearTimeout(timer);
  const connection = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  request.once('socket', (socket) => socket.once(connection, connected));
  let hints = 0;
  request.on('information', () => {
    hints += 1;
    if (hints > maxHints) fail(`More than ${maxHints} responses with a status below 200.`);
  });
  request.once('response', (response) => {
    resolve(response);
    // Gives the response the reason: by itself it would only say that it was aborted. Bytes behind a complete response do not
    // matter.
    request.once('error', (error) => response.complete || response.destroy(error));
  });
  // Without a listener, an upgrade ends with `close` alone.
  request.once('upgrade', ({ statusCode }, socket) => {
    socket.destroy();
    reject(new FetchFailed(`The status is ${statusCode}, not 200.`));
  });
  request.on('error', reject).once('close', () => {
    connected();
    reject(new FetchFailed('The connection ended without a response.'));
  });
  request.end();
  return promise;
}
