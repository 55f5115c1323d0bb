import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CryptoKey, JWK } from 'jose';
import { exportJWK, generateKeyPair } from 'jose';
import type { JwtIssuer } from './jwt-issuer.ts';
import { signJwt } from './jwt-issuer.ts';

interface JwksIssuer extends JwtIssuer {
  /** The address at which the controller reads the keys. */
  readonly jwksEndpoint: string;
  /** Replaces the key, as providers do from time to time. */
  rotate(): Promise<void>;
  close(): Promise<unknown>;
}

/** An issuer that serves its keys as a JWK set. */
export async function createJwksIssuer(issuer: string): Promise<JwksIssuer> {
  let current = await newKey();
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [current.jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    issuer,
    jwksEndpoint: `http://127.0.0.1:${port}/jwks`,
    sign: (claims) => signJwt({ issuer, claims, ...current }),
    async rotate() {
      current = await newKey();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

async function newKey(): Promise<{ kid: string; privateKey: CryptoKey; jwk: JWK }> {
  const kid = randomUUID();
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } };
}
