import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEdgeClient, mtls } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import { signJwt } from '../../packages/server/test/support/jwt.ts';
import { certificateKey } from '../../packages/server/test/support/jwt-issuer.ts';
import { readTotp } from '../../packages/server/test/support/totp.ts';
import { programs } from './support/built.ts';
import type { SignIn } from './support/clients.ts';
import { goDialer, goHost } from './support/clients.ts';
import { expectEcho } from './support/expect-echo.ts';
import type { Network } from './support/network.ts';
import { startNetwork } from './support/network.ts';

const service = 'echo';
const bytes = 1_000_000;
let network: Network;

beforeAll(async () => {
  network = await startNetwork();
  await network.addService(service);
});
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(() => network[Symbol.asyncDispose]());

/** Somebody who may offer and use the service, and signs in with a password. */
async function addPerson(username: string) {
  const { identities } = network.edge.management;
  const password = 'a password of a person';
  const { id } = await identities.create({
    ...{ name: username, type: 'User', isAdmin: false },
    ...{ roleAttributes: ['hosts', 'callers'], enrollment: { updb: username } },
  });
  const jwt = (await identities.get(id)).enrollment.updb?.jwt ?? '';
  const { url, caFile } = network.controller;
  const edge = createEdgeClient(url, { caFile });
  await edge.enroll({ jwt }, { password });
  return { edge, signIn: { controller: url, caFile, username, password } };
}

/** The same client offers the service and uses it. */
async function expectHostAndDial(signIn: SignIn, ofDialer: SignIn = signIn) {
  await using _server = await goHost(signIn, service);
  await using dialer = goDialer(ofDialer, { service, bytes });
  await expectEcho(dialer, bytes);
}

it('the Go SDK hosts and dials with a certificate', async () => {
  await expectHostAndDial(await network.addIdentity('device', ['hosts', 'callers']));
});

it('the Go SDK hosts and dials with a certificate that its own tool has enrolled', async () => {
  const { identities } = network.edge.management;
  const name = 'device of another tool';
  const { id } = await identities.create({
    ...{ name, type: 'Device', isAdmin: false },
    ...{ roleAttributes: ['hosts', 'callers'], enrollment: { ott: true } },
  });
  const jwtFile = join(network.directory, 'device.jwt');
  writeFileSync(jwtFile, (await identities.get(id)).enrollment.ott?.jwt ?? '');
  const file = join(network.directory, 'enrolled.json');
  execFileSync(programs.ziti, ['edge', 'enroll', '--jwt', jwtFile, '--out', file], { stdio: 'pipe' });
  await expectHostAndDial({ id, name, file });
});

it('the Go SDK hosts and dials with a password', async () => {
  const { signIn } = await addPerson('person');
  await expectHostAndDial(signIn);
});

it('the Go SDK hosts and dials with the JWT of an external signer', async () => {
  const { authPolicies, externalJwtSigners, identities } = network.edge.management;
  const issuer = 'https://issuer.example';
  const { certPem, privateKey, kid, alg } = certificateKey();
  const signer = await externalJwtSigners.create({
    ...{ name: issuer, issuer, audience: 'edge', certPem, enabled: true },
    ...{ claimsProperty: 'sub', useExternalId: true },
  });
  const policy = await authPolicies.create({
    name: 'JWTs',
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: true, allowedSigners: [signer.id] },
      updb: {
        ...{ allowed: false, minPasswordLength: 8, maxAttempts: 0, lockoutDurationMinutes: 0 },
        ...{ requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false },
      },
    },
    secondary: { requireTotp: false },
  });
  await identities.create({
    ...{ name: 'holder of a JWT', type: 'User', isAdmin: false, externalId: 'holder', authPolicyId: policy.id },
    ...{ roleAttributes: ['hosts', 'callers'] },
  });
  const now = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, aud: 'edge', sub: 'holder', iat: now, exp: now + 300 };
  const jwt = signJwt({ alg, key: privateKey, header: { alg, kid }, claims });
  const { url, caFile } = network.controller;
  await expectHostAndDial({ controller: url, caFile, jwt });
});

// With a password or a JWT the Go SDK asks for a certificate of its session first, before it answers. No controller gives it one.
it('the Go SDK hosts and dials with a certificate and a TOTP code', async () => {
  const device = await network.addIdentity('careful device', ['hosts', 'callers']);
  const edge = createEdgeClient(network.controller.url, { fetch: mtls(device.file) });
  await edge.signIn.certificate();
  const { provisioningUrl, verify } = await edge.mfa.enroll();
  const authenticator = readTotp(provisioningUrl);
  await verify(await authenticator.next());
  await edge.signOut();

  await using _server = await goHost({ ...device, totpCode: await authenticator.next() }, service);
  await using dialer = goDialer({ ...device, totpCode: await authenticator.next() }, { service, bytes });
  await expectEcho(dialer, bytes);
  await using refused = goDialer(device, { service, bytes });
  expect(await refused.event('refused')).toMatchObject({ error: "service 'echo' not found" });
});
