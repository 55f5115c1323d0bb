import { expect } from 'vitest';
import type { TestController } from './controller.ts';
import type { WireAnswer } from './request.ts';
import type { TestCa } from './test-ca.ts';
import { createTestCa, newName } from './test-ca.ts';

type Server = Pick<TestController, 'wire'>;

export const cas = '/edge/management/v1/cas';

/** The body that registers a CA with everything off. */
export function caBody(ca: TestCa, changes: object = {}): Record<string, unknown> {
  return {
    name: newName(),
    certPem: ca.certPem,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: false,
    isAuthEnabled: false,
    identityRoles: [],
    ...changes,
  };
}

/** What a CA can be enabled for. */
export const everythingOn = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true };

/** Registers a CA with everything off, which is not verified. Returns its id. */
export async function addCa(
  { wire }: Server,
  token: string,
  changes: object = {},
  ca: TestCa = createTestCa(),
): Promise<string> {
  const created = await wire('POST', cas, { token, body: caBody(ca, changes) });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}

/** Registers a CA with everything on, and verifies it. Returns its id. */
export async function addVerifiedCa(server: Server, token: string, ca: TestCa, changes: object = {}): Promise<string> {
  const id = await addCa(server, token, { ...everythingOn, ...changes }, ca);
  const { verificationToken } = (await server.wire('GET', `${cas}/${id}`, { token })).body.data;
  const verified = await sendProof(server, { token, id, proof: ca.client(verificationToken).leafPem });
  expect(verified.status, verified.text).toBe(200);
  return id;
}

/** Sends a certificate that proves the key of a CA. */
export function sendProof(
  { wire }: Server,
  { token, id, proof, type = 'text/plain' }: { token: string; id: string; proof: string; type?: string },
): Promise<WireAnswer> {
  return wire('POST', `${cas}/${id}/verify`, { token, raw: proof, headers: { 'content-type': type } });
}
