import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ManagementCalls } from '../api/generated/calls.ts';
import type { TestClock } from './test-clock.ts';

type Signer = Parameters<ManagementCalls['externalJwtSigners']['create']>[0];

/**
 * Members of the external JWT signer that the controller gets. Default: the claim `sub` is the id of an identity.
 *
 * @example
 * const options: JwtIssuerOptions = {};
 * const issuer = await controller.jwtIssuer(options);
 */
export type JwtIssuerOptions = Partial<Omit<Signer, 'jwksEndpoint' | 'certPem' | 'kid'>>;

/** Somebody who signs JWTs with ES256 and is an external JWT signer of the controller. */
export interface TestJwtIssuer {
  /** Id of the external JWT signer. */
  readonly id: string;
  /** Id of an auth policy that is like `default` and allows sign-ins with JWTs of this signer. */
  readonly authPolicyId: string;
  readonly issuer: string;
  readonly audience: string;
  /** Where the controller gets the public key: an address on this machine. */
  readonly jwksEndpoint: string;
  /**
   * Signs a JWT that is valid for 5 minutes of the clock of the controller.
   *
   * @param claims are added, or replace `iss`, `aud`, `iat` and `exp` (seconds since 1970); `undefined` removes one
   * @example
   * const token = issuer.sign({ sub: identity.id });
   */
  sign(claims?: Readonly<Record<string, unknown>>): string;
}

const lifetime = 300;

/** Starts an issuer and registers it. Returns also how to stop it. */
export async function startJwtIssuer(
  { clock, management }: { clock: TestClock; management: ManagementCalls },
  options: JwtIssuerOptions,
): Promise<{ issuer: TestJwtIssuer; stop(): Promise<void> }> {
  const kid = randomUUID();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' };
  const { url: jwksEndpoint, stop } = await serve({ keys: [jwk] });
  const name = `https://issuer.test/${kid}`;
  const { issuer = name, audience = 'edge-controller' } = options;
  try {
    const signer = { name, enabled: true, ...options, issuer, audience, jwksEndpoint };
    const { id } = await management.externalJwtSigners.create(signer);
    const { primary, secondary } = await management.authPolicies.get('default');
    const extJwt = { allowed: true, allowedSigners: [id] };
    const policy = await management.authPolicies.create({ name, primary: { ...primary, extJwt }, secondary });
    return { issuer: { id, authPolicyId: policy.id, issuer, audience, jwksEndpoint, sign: signWith }, stop };
  } catch (error) {
    await stop();
    throw error;
  }

  function signWith(claims: Readonly<Record<string, unknown>> = {}): string {
    const iat = Math.floor(clock.now() / 1_000);
    const all = { iss: issuer, aud: audience, iat, exp: iat + lifetime, ...claims };
    const parts = [{ alg: 'ES256', typ: 'JWT', kid }, all].map((part) => base64Url(JSON.stringify(part)));
    const text = parts.join('.');
    return `${text}.${base64Url(sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' }))}`;
  }
}

function base64Url(value: string | Buffer): string {
  return Buffer.from(value).toString('base64url');
}

async function serve(document: object): Promise<{ url: string; stop(): Promise<void> }> {
  const listener: RequestListener = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
  const server = createServer(listener);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
