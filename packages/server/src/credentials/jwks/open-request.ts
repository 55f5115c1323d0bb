import type { ClientRequest } from 'node:http';
import { request as requestHttp } from 'node:http';
import type { AgentOptions } from 'node:https';
import { Agent, request as requestHttps } from 'node:https';
import type { LookupFunction, TcpNetConnectOpts } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connectGuarded } from '@edge-controller/handshake-guard';

/** What a request to a provider needs of its caller. */
export interface RequestParts {
  /** Gives the addresses to dial. It must have checked them. */
  readonly lookup: LookupFunction;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** More headers, such as those of a trace. */
  readonly headers?: (() => Readonly<Record<string, string>>) | undefined;
}

/** A provider must not stop the process with certificates that take long to verify. */
class GuardedAgent extends Agent {
  override createConnection(options: TcpNetConnectOpts & AgentOptions): TLSSocket {
    return connectGuarded(options);
  }
}

/** Opens a connection to a provider and a request on it. This is the only place that decides how either is made. */
export function openRequest(url: URL, { lookup, signal, headers }: RequestParts): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const open = isSecure ? requestHttps : requestHttp;
  return open(url, {
    // An agent of its own: the global one may have a proxy and other trust.
    agent: isSecure ? new GuardedAgent() : false,
    lookup,
    signal,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    headers: {
      ...headers?.(),
      Accept: 'application/jwk-set+json, application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'edge-controller',
    },
  });
}
