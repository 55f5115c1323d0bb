import { expect } from 'vitest';
import type { TestController } from './controller.ts';

type Server = Pick<TestController, 'wire'>;

export const signersPath = '/edge/management/v1/external-jwt-signers';

let made = 0;

/** The body that creates a signer with a JWKS, which is enabled. */
export function signerBody(changes: object = {}): Record<string, unknown> {
  made += 1;
  return {
    name: `signer ${made} of a test`,
    issuer: `https://signer-${made}.example.com`,
    audience: 'the controller',
    jwksEndpoint: 'https://keys.example.com/jwks',
    enabled: true,
    ...changes,
  };
}

/** Creates a signer and returns its id. */
export async function addSigner({ wire }: Server, token: string, changes: object = {}): Promise<string> {
  const created = await wire('POST', signersPath, { token, body: signerBody(changes) });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}
