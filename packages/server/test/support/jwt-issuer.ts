import { createPrivateKey, randomUUID } from 'node:crypto';
import type { RequestListener } from 'node:http';
import type { TestController } from './controller.ts';
import { addSigner } from './external-jwt-signers.ts';
import type { JsonProvider } from './json-provider.ts';
import { json, startJsonProvider } from './json-provider.ts';
import type { JwtSigningKey } from './jwt.ts';
import { createJwtKey, signJwt } from './jwt.ts';
import { createTestCa } from './test-ca.ts';

export const jwtSignIn = '/edge/client/v1/authenticate?method=ext-jwt';

/** A key, and the header of the tokens that it signs. */
interface IssuerKey extends Pick<JwtSigningKey, 'privateKey'> {
  readonly alg: string;
  readonly kid: string;
  /** Its public key as it is served. */
  readonly jwk: object;
}

/** Somebody who signs JWTs and serves the keys over HTTP, as an identity provider does. */
export interface JwtIssuer extends AsyncDisposable {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksEndpoint: string;
  /** The keys that are served, the newest first. */
  readonly keys: IssuerKey[];
  /** Adds a key, which signs from now on. */
  addKey(): IssuerKey;
  /** How often something was asked for. */
  readonly fetches: number;
  /** Serves something else than the keys. */
  readonly serve: JsonProvider['serve'];
  /** Serves the keys again. */
  serveKeys(): void;
  /** A token that is valid for five minutes; `claims` replace its claims, `undefined` removes one. */
  sign(claims?: Readonly<Record<string, unknown>>, header?: object, key?: IssuerKey): string;
}

/** @param alg one of `jwtAlgorithms` */
export async function createJwtIssuer(alg = 'ES256'): Promise<JwtIssuer> {
  const issuer = `https://issuer.example/${randomUUID()}`;
  const audience = 'edge';
  const keys: IssuerKey[] = [];
  const addKey = () => {
    const { privateKey, jwk } = createJwtKey(alg, randomUUID());
    const key = { alg, kid: jwk.kid, privateKey, jwk: { ...jwk, alg, use: 'sig' } };
    keys.unshift(key);
    return key;
  };
  addKey();
  const listener: RequestListener = (...call) => json({ keys: keys.map(({ jwk }) => jwk) })(...call);
  const provider = await startJsonProvider(listener);
  return {
    ...{ issuer, audience, jwksEndpoint: provider.url, keys, addKey, serve: provider.serve },
    get fetches() {
      return provider.requests.length;
    },
    serveKeys: () => provider.serve(listener),
    sign(claims = {}, header = {}, key = keys[0]!) {
      const now = Math.floor(Date.now() / 1_000);
      return signJwt({
        ...{ alg: key.alg, key: key.privateKey, header: { alg: key.alg, kid: key.kid, ...header } },
        claims: { iss: issuer, aud: audience, iat: now, exp: now + 300, ...claims },
      });
    },
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

/** Registers an issuer with its JWKS endpoint; its claim is the external id. Returns the id of the signer. */
export function addIssuer(
  server: Pick<TestController, 'wire'>,
  token: string,
  { issuer, audience, jwksEndpoint }: JwtIssuer,
  changes: object = {},
): Promise<string> {
  const signer = { name: issuer, issuer, audience, jwksEndpoint, useExternalId: true };
  return addSigner(server, token, { ...signer, ...changes });
}

/** A key with a certificate for a signer without a JWKS endpoint. The `kid` of its tokens is the fingerprint. */
export function certificateKey(): IssuerKey & { readonly certPem: string } {
  const client = createTestCa('signer').client(`signer ${randomUUID()}`);
  const privateKey = createPrivateKey(client.key);
  return { certPem: client.leafPem, kid: client.fingerprint, alg: 'ES256', privateKey, jwk: {} };
}

/** `Authorization` with one or several tokens. */
export function bearer(...tokens: string[]): Record<string, string> {
  return { authorization: tokens.map((token) => `Bearer ${token}`).join(', ') };
}
