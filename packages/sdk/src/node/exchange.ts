import http from 'node:http';
import https from 'node:https';
import { Readable } from 'node:stream';

/** One request on the wire. */
export interface Outgoing {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | Readable | null;
  readonly signal: AbortSignal;
}

const repeatable = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']);
/** More than one kept connection may have died at the same time. */
const mostRepeats = 5;

/**
 * Sends a request and resolves with the head of the answer. Rejects with the signal's own reason after an abort, else
 * with `TypeError: fetch failed` as the platform's `fetch` does; its `cause` has the code.
 */
export async function exchange(outgoing: Outgoing, agent: http.Agent): Promise<http.IncomingMessage> {
  for (let repeats = 0; ; repeats += 1) {
    const { signal, method, body } = outgoing;
    signal.throwIfAborted();
    const attempt = { reused: false };
    try {
      return await send(outgoing, agent, attempt);
    } catch (error) {
      signal.throwIfAborted();
      // The server may close a kept connection at the moment in which it is used again.
      const raced = attempt.reused && isReset(error) && repeatable.has(method) && !(body instanceof Readable);
      if (!raced || repeats === mostRepeats) throw new TypeError('fetch failed', { cause: error });
    }
  }
}

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function send(outgoing: Outgoing, agent: http.Agent, attempt: { reused: boolean }): Promise<http.IncomingMessage> {
  const { method, url, headers, body, signal } = outgoing;
  return new Promise((resolve, reject) => {
    const length = Buffer.isBuffer(body) ? { 'content-length': String(body.length) } : {};
    const options = { method, agent, headers: { ...headers, ...length } };
    const request = url.protocol === 'https:' ? https.request(url, options) : http.request(url, options);
    const abort = () => request.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
    const release = () => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    request.on('error', (error) => {
      attempt.reused = request.reusedSocket;
      release();
      reject(error);
    });
    request.on('response', (answer) => {
      const abortBody = () => answer.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      release();
      signal.addEventListener('abort', abortBody, { once: true });
      answer.on('close', () => signal.removeEventListener('abort', abortBody));
      resolve(answer);
    });
    if (body instanceof Readable) body.on('error', (error) => request.destroy(error)).pipe(request);
    else request.end(body ?? undefined);
  });
}
