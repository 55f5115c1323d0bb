import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { enterQueue } from './https-agent.ts';

/** A request in the form that `node:http` needs. */
export interface OutgoingRequest {
  /** The objects that `signal` comes from. Node forwards an abort through them only while they are reachable. */
  readonly sources: readonly unknown[];
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | null;
  readonly signal: AbortSignal;
}

/** Sockets of earlier requests. `request.reusedSocket` is false for a request that has waited for its socket. */
const used = new WeakSet<Socket>();

/**
 * Sends a request and resolves to the response when its headers have arrived. After an abort it rejects with the reason
 * of the signal, otherwise with `TypeError: fetch failed` like the `fetch` of the platform; its `cause` has the error
 * code. It never sends a request again: who calls it knows which ones may be.
 */
export async function sendRequest(outgoing: OutgoingRequest, agent: http.Agent): Promise<http.IncomingMessage> {
  const { signal } = outgoing;
  signal.throwIfAborted();
  const attempt = { reused: false };
  try {
    return await sendOnce(outgoing, agent, attempt);
  } catch (error) {
    signal.throwIfAborted();
    // The server may have closed all connections that were kept open. The next request gets a new one.
    if (attempt.reused && isReset(error)) closeFree(agent);
    throw new TypeError('fetch failed', { cause: error });
  }
}

/** Closes the connections that no request uses. */
export function closeFree({ freeSockets }: http.Agent): void {
  for (const sockets of Object.values(freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/** The other side closed the connection before the TLS handshake was complete. */
class HandshakeClosed extends Error {
  readonly code = 'TLS_HANDSHAKE_CLOSED';

  constructor(cause: unknown) {
    super('the connection was closed during the TLS handshake', { cause });
  }
}

async function sendOnce(
  outgoing: OutgoingRequest,
  agent: http.Agent,
  attempt: { reused: boolean },
): Promise<http.IncomingMessage> {
  const { method, url, headers, body } = outgoing;
  const leaveQueue = await enterQueue(agent, url.origin, outgoing.signal);
  return new Promise((resolve, reject) => {
    const length = Buffer.isBuffer(body) ? { 'content-length': String(body.length) } : {};
    const options = { method, agent, headers: { ...headers, ...length } };
    const request = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
    const abort = () => {
      request.destroy(reasonOf(outgoing.signal));
      // While the proxy connects, the request does not emit its error.
      reject(reasonOf(outgoing.signal));
    };
    const release = () => outgoing.signal.removeEventListener('abort', abort);
    let inHandshake = url.protocol === 'https:';
    outgoing.signal.addEventListener('abort', abort, { once: true });
    request.on('socket', (socket) => {
      attempt.reused = used.has(socket);
      used.add(socket);
      // A connection through a proxy comes when its handshake is complete.
      inHandshake &&= socket.connecting;
      if (!inHandshake) return;
      socket.once('secureConnect', () => {
        inHandshake = false;
      });
    });
    request.on('close', leaveQueue);
    request.on('error', (error) => {
      release();
      reject(inHandshake && isReset(error) ? new HandshakeClosed(error) : error);
    });
    request.on('response', (response) => {
      const abortBody = () => response.destroy(reasonOf(outgoing.signal));
      release();
      outgoing.signal.addEventListener('abort', abortBody, { once: true });
      response.on('close', () => outgoing.signal.removeEventListener('abort', abortBody));
      resolve(response);
    });
    // It may have been aborted while it waited in the queue.
    if (outgoing.signal.aborted) return abort();
    if (body instanceof Readable) body.on('error', (error) => request.destroy(error)).pipe(request);
    else request.end(body ?? undefined);
  });
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
