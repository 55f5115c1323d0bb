import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, isEdgeApiError, isEdgeNetworkError, isWrongCredentials } from '@edge-controller/sdk/node';
import { createCertificateIssuer } from './certificate-issuer.ts';
import { createJwksIssuer } from './jwks-issuer.ts';
import { audience } from './jwt-issuer.ts';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;
const name = `example-${randomUUID()}`;
const issuers = {
  build: await createCertificateIssuer(`https://build.example/${name}`),
  people: await createJwksIssuer(`https://people.example/${name}`),
};
const signer = { audience, enabled: true, useExternalId: true };
const updb = {
  ...{ allowed: true, minPasswordLength: 12, maxAttempts: 5, lockoutDurationMinutes: 5 },
  ...{ requireMixedCase: false, requireNumberChar: false, requireSpecialChar: false },
};

/** Deletes what the example creates, the last first. */
const cleanUp: (() => Promise<unknown>)[] = [];

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  cleanUp.push(() => admin.signOut());
  try {
    const { buildId, peopleId } = await registerSigners(admin);
    await usePrimary(admin, [buildId, peopleId]);
    await useSecondary(admin, peopleId);
  } finally {
    await issuers.people.close();
    for (const step of cleanUp.reverse()) await step();
  }
}

async function registerSigners(admin: EdgeClient) {
  const { externalJwtSigners } = admin.management;
  const add = async (source: { certPem: string } | { jwksEndpoint: string }, issuer: string) => {
    const { id } = await externalJwtSigners.create({ ...signer, ...source, name: issuer, issuer });
    cleanUp.push(() => externalJwtSigners.delete(id));
    return id;
  };
  const buildId = await add({ certPem: issuers.build.certPem }, issuers.build.issuer);
  const peopleId = await add({ jwksEndpoint: issuers.people.jwksEndpoint }, issuers.people.issuer);
  console.log('registered a signer with a certificate, and one with a JWK set');
  return { buildId, peopleId };
}

async function addPolicy(admin: EdgeClient, allowedSigners: string[], requireExtJwtSigner?: string): Promise<string> {
  const { id } = await admin.management.authPolicies.create({
    name: `${name}-${allowedSigners.length}`,
    primary: {
      cert: { allowed: false, allowExpiredCerts: false },
      extJwt: { allowed: allowedSigners.length > 0, allowedSigners },
      updb: { ...updb, allowed: requireExtJwtSigner !== undefined },
    },
    secondary: { requireTotp: false, ...(requireExtJwtSigner !== undefined && { requireExtJwtSigner }) },
  });
  cleanUp.push(() => admin.management.authPolicies.delete(id));
  return id;
}

/** The JWT is all that the identity needs. */
async function usePrimary(admin: EdgeClient, signerIds: string[]): Promise<void> {
  const authPolicyId = await addPolicy(admin, signerIds);
  const externalId = `robot-${randomUUID()}`;
  const { id } = await admin.management.identities.create({
    ...{ name: externalId, type: 'Device', isAdmin: false, externalId, authPolicyId },
  });
  cleanUp.push(() => admin.management.identities.delete(id));

  const edge = createEdgeClient(url, { caFile });
  const first = await edge.signIn.extJwt({ token: await issuers.build.sign({ sub: externalId }) });
  console.log(`signed in with a JWT of the signer with the certificate: ${first.state} session`);
  await edge.signOut();

  // The client asks for a JWT at each sign-in, and again when the one that it got has expired.
  const getToken = () => issuers.people.sign({ sub: externalId });
  await edge.signIn.extJwt({ getToken });
  console.log('signed in with a JWT of the signer with the JWK set');
  await edge.signOut();

  await issuers.people.rotate();
  await signInAfterRotation(edge, getToken);
  console.log('the signer has a new key, and the controller follows');
  await edge.signOut();

  const wrong = await issuers.build.sign({ sub: externalId, aud: 'something else' });
  const refusal = await expectRefused(edge.signIn.extJwt({ token: wrong }));
  const { checks } = await admin.management.externalJwtSigners.test(signerIds[0] ?? '', { token: wrong });
  const { check, expected, received } = checks.find(({ passed }) => !passed) ?? {};
  console.log(`a JWT for another audience was refused as ${refusal.challenge?.error};`);
  console.log(`  the administrator sees the check "${check}": expected ${expected}, received ${received}`);
}

/** The controller fetches the keys again at most once a second. */
async function signInAfterRotation(edge: EdgeClient, getToken: () => Promise<string>): Promise<void> {
  for (let left = 20; ; left -= 1) {
    try {
      await edge.signIn.extJwt({ getToken });
      return;
    } catch (error) {
      if (!isEdgeApiError(error, 'UNAUTHORIZED') || left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

/** A password, and a JWT with every request. */
async function useSecondary(admin: EdgeClient, signerId: string): Promise<void> {
  const authPolicyId = await addPolicy(admin, [], signerId);
  const username = `person-${randomUUID()}`;
  const { id } = await admin.management.identities.create({
    ...{ name: username, type: 'User', isAdmin: false, externalId: username, authPolicyId },
    enrollment: { updb: username },
  });
  cleanUp.push(() => admin.management.identities.delete(id));
  const { jwt = '' } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
  const password = randomUUID();

  const bare = createEdgeClient(url, { caFile });
  await bare.enroll({ jwt }, { password });
  const partial = await bare.signIn.password({ username, password });
  const queries = partial.authQueries.map(({ typeId }) => typeId);
  console.log(`signed in with a password: ${partial.state} session, outstanding query: ${queries}`);
  await bare.signOut();

  const getToken = () => issuers.people.sign({ sub: username });
  const edge = createEdgeClient(url, { caFile, secondaryToken: { getToken, signer: signerId } });
  const full = await edge.signIn.password({ username, password });
  console.log(`signed in with a password and a JWT: ${full.state} session`);
  const identity = await edge.client.currentIdentity.get();
  console.log(`read the identity ${identity.name}; the client sends the JWT with every request`);

  await admin.management.externalJwtSigners.patch(signerId, { enabled: false });
  const { authQueries } = await edge.client.currentApiSession.get();
  console.log(`turned the signer off: ${authQueries.length} query is outstanding again`);
  await edge.signOut();
}

async function expectRefused(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => new Error('a wrong JWT signs in'),
    (thrown: unknown) => thrown,
  );
  if (!isEdgeApiError(error, 'UNAUTHORIZED')) throw error;
  return error;
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(1);
}

if (!EDGE_ADMIN_USERNAME || !EDGE_ADMIN_PASSWORD) {
  stop('Set EDGE_ADMIN_USERNAME and EDGE_ADMIN_PASSWORD to the credentials of the administrator.');
}
if (!existsSync(caFile)) {
  stop(`There is no CA bundle at ${caFile}. Start the controller with "npm start", or set EDGE_CA to its pki/ca.pem.`);
}
try {
  await run(EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD);
} catch (error) {
  if (isWrongCredentials(error)) stop('The controller refused the administrator: check the credentials.');
  if (isEdgeNetworkError(error)) stop(`The controller at ${url} cannot be reached (${error.code}). Is it running?`);
  throw error;
}
