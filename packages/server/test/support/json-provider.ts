import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { dns, extendedKeyUsage, purposes, subjectAltNames } from './certificate-extensions.ts';
import { leafExtensions } from './chain.ts';
import type { TestCa } from './test-ca.ts';

/** An HTTP server on the loopback address that serves what the test says. */
export interface JsonProvider extends AsyncDisposable {
  readonly url: string;
  /** The headers of all requests so far. */
  readonly requests: readonly NodeJS.Dict<string | string[]>[];
  /** Serves something else from now on. */
  serve(listener: RequestListener): void;
}

/** Starts a provider. With a CA it uses TLS, with a certificate for `localhost`. */
export async function startJsonProvider(listener: RequestListener, ca?: TestCa): Promise<JsonProvider> {
  const requests: NodeJS.Dict<string | string[]>[] = [];
  let current = listener;
  const onRequest: RequestListener = (request, response) => {
    requests.push(request.headers);
    current(request, response);
  };
  const server = ca ? createTlsServer(serverCertificate(ca), onRequest) : createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: ca ? `https://localhost:${port}/jwks` : `http://127.0.0.1:${port}/jwks`,
    requests,
    serve: (next) => {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Serves a JSON document. */
export function json(document: unknown, type = 'application/json'): RequestListener {
  return (_, response) => response.writeHead(200, { 'Content-Type': type }).end(JSON.stringify(document));
}

/** Redirects to a location. */
export function redirect(location: string, status = 302): RequestListener {
  return (_, response) => response.writeHead(status, { Location: location }).end();
}

function serverCertificate(ca: TestCa): { key: string; cert: string } {
  const names = subjectAltNames([dns('localhost')]);
  return ca.client('provider', { extensions: [...leafExtensions, extendedKeyUsage(purposes.serverAuth), names] });
}
