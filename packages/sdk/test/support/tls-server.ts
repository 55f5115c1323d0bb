import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket, TlsOptions } from 'node:tls';
import type { Authority } from './openssl.ts';

export interface TlsServer extends AsyncDisposable {
  readonly url: string;
  /** Common name of the client certificate of each connection, `null` without one. */
  readonly clients: (string | null)[];
  /** Method and path of each request. */
  readonly requests: string[];
  /** How many connections resumed a TLS session. */
  readonly resumed: () => number;
}

type Script = (request: IncomingMessage, response: ServerResponse) => unknown;

/** A real HTTPS server on a free port that asks for a client certificate. */
export async function startTlsServer(options: TlsOptions, script: Script): Promise<TlsServer> {
  const clients: (string | null)[] = [];
  const requests: string[] = [];
  let resumed = 0;
  const server = createServer({ requestCert: true, rejectUnauthorized: false, ...options });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.isSessionReused()) resumed += 1;
    const name: unknown = socket.getPeerCertificate().subject?.CN;
    clients.push(typeof name === 'string' ? name : null);
  });
  server.on('request', (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    script(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    clients,
    requests,
    resumed: () => resumed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A server with a certificate for `localhost`. */
export function startLocalServer(authority: Authority, script: Script): Promise<TlsServer> {
  return startTlsServer(authority.issue({ subject: 'localhost', names: 'DNS:localhost' }), script);
}
