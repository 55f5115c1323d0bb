import type { CallOptions } from '../api/call-options.ts';
import { isSignIn } from '../calls/own-calls.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { withDeadline } from '../errors/deadline.ts';
import type { Api } from './controller-url.ts';
import { readResponse } from './read-response.ts';
import type { Transport, TransportResponse } from './transport.ts';

interface SenderParts {
  readonly transport: Transport;
  readonly sessionHeader: string;
  /** Milliseconds for one call. */
  readonly timeout: number;
}

/** What a request carries besides the call. */
interface Credentials {
  readonly token: string | null;
  readonly jwts: readonly string[];
}

export type Sender = ReturnType<typeof createSender>;

/** Sends the requests of calls. It does not know the current session. */
export function createSender({ transport, sessionHeader, timeout }: SenderParts) {
  const target = (api: Api, path: string): string => transport.target(api, path);

  /** Runs within the time of a call. `path` is for the error message. */
  async function inTime<T>(
    options: CallOptions,
    api: Api,
    path: string,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limits = { signal: options.signal, timeout: options.timeout ?? timeout, target: target(api, path) };
    return withDeadline(limits, run);
  }

  async function send(
    api: Api,
    { row, path, headers, body, options }: PreparedCall,
    signal: AbortSignal,
    { token, jwts }: Credentials,
  ): Promise<TransportResponse> {
    const credentials = {
      ...(token !== null && { [sessionHeader]: token }),
      ...(jwts.length > 0 && { authorization: jwts.map((jwt) => `Bearer ${jwt}`).join(', ') }),
    };
    return transport.send({
      ...{ method: row.method, api, path, headers, credentials, body, signal },
      accept: row.produces === undefined ? 'application/json' : `${row.produces}, application/json`,
      timeout: options.timeout ?? timeout,
      isRepeatable: /GET|HEAD/.test(row.method) || isSignIn(row),
    });
  }

  return { inTime, send, read: readResponse, target };
}
