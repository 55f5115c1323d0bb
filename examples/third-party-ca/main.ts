import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, enroll, isEdgeApiError, isEdgeNetworkError, mtls } from '@edge-controller/sdk/node';
import type { FactoryCa } from './factory-ca.ts';
import { createFactoryCa } from './factory-ca.ts';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const name = `factory-${randomUUID()}`;
  const factory = await createFactoryCa(name);
  const { id: caId } = await admin.management.cas.create({
    name,
    certPem: factory.certPem,
    isAutoCaEnrollmentEnabled: true,
    isOttCaEnrollmentEnabled: false,
    isAuthEnabled: true,
    identityRoles: ['factory'],
  });
  console.log(`registered the CA ${name}`);
  try {
    await verify(admin, factory, caId);
    await useDevice(admin, factory, caId);
  } finally {
    // Clean up, also after a failure.
    for await (const { id } of admin.pages(admin.management.identities.list, { filter: `name contains "${name}"` })) {
      await admin.management.identities.delete(id);
    }
    await admin.management.cas.delete(caId);
    await admin.signOut();
  }
}

async function verify(admin: NodeEdgeClient, factory: FactoryCa, caId: string): Promise<void> {
  const { verificationToken = '' } = await admin.management.cas.get(caId);
  const proof = await factory.issue(verificationToken);
  await admin.management.cas.verify(caId, proof.cert);
  console.log('verified the CA with a certificate whose common name is the verification token');
}

async function useDevice(admin: NodeEdgeClient, factory: FactoryCa, caId: string): Promise<void> {
  // Each device gets its certificate in the factory, and all devices get the same JWT.
  const jwt = await admin.management.cas.jwt(caId);
  const identity = await enroll(jwt, await factory.issue('robot-7'));
  const edge = createEdgeClient(identity.url, { fetch: mtls(identity) });
  edge.on('expired', () => console.log('  the device noticed that its session has ended'));
  const session = await edge.signIn.certificate();
  const { roleAttributes } = await admin.management.identities.get(session.identity.id);
  console.log(`the device enrolled itself as ${session.identity.name} with the role attributes ${roleAttributes}`);

  await admin.management.cas.patch(caId, { isAuthEnabled: false });
  await expectRefused(edge.client.currentApiSession.get());
  await expectRefused(edge.signIn.certificate());
  console.log('turned sign-ins through the CA off: the session ended, and the device cannot sign in');
}

async function expectRefused(call: Promise<unknown>): Promise<void> {
  const error: unknown = await call.then(
    () => new Error('the device still has access'),
    (thrown: unknown) => thrown,
  );
  if (!isEdgeApiError(error) || error.status !== 401) throw error;
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
  if (isEdgeNetworkError(error)) stop(`The controller at ${url} cannot be reached (${error.code}). Is it running?`);
  throw error;
}
