import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  createEdgeClient,
  enroll,
  isEdgeEnrollmentError,
  isEdgeNetworkError,
  isWrongCredentials,
  mtls,
  saveIdentity,
} from '@edge-controller/sdk/node';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const name = `example-${randomUUID()}`;
  const { id } = await admin.management.identities.create({
    name,
    type: 'Device',
    isAdmin: false,
    enrollment: { ott: true },
  });
  console.log(`the administrator created the identity ${name}`);
  const directory = mkdtempSync(join(tmpdir(), 'edge-example-'));
  try {
    const { jwt } = (await admin.management.identities.get(id)).enrollment.ott ?? {};
    if (jwt === undefined) throw new Error('the new identity has no enrollment');
    await useDevice(jwt, join(directory, 'device.json'));
  } finally {
    // Clean up, also after a failure.
    rmSync(directory, { recursive: true });
    await admin.management.identities.delete(id);
    await admin.signOut();
  }
}

/** What runs on the device. It knows nothing but the JWT. */
async function useDevice(jwt: string, file: string): Promise<void> {
  const identity = await enroll(jwt);
  await saveIdentity(file, identity);
  console.log('enrolled the device: its key and its certificate are in the identity file');
  await expectUsed(jwt);
  console.log('tried the same token again: the controller refused it');

  const edge = createEdgeClient(identity.url, { fetch: mtls(file) });
  const session = await edge.signIn.certificate();
  console.log(`signed in with the certificate: ${session.state} session of ${session.identity.name}`);

  await edge.extendCertificate({ newKey: true });
  console.log('renewed the certificate with a new key; the identity file has both');
  await edge.signOut();

  const again = createEdgeClient(identity.url, { fetch: mtls(file) });
  await again.signIn.certificate();
  console.log('signed in with the new certificate');
  await again.signOut();

  await expectRefused(createEdgeClient(identity.url, { fetch: mtls(identity) }).signIn.certificate());
  console.log('tried the old certificate: the controller refused it');
}

async function expectUsed(jwt: string): Promise<void> {
  const error: unknown = await enroll(jwt).then(
    () => new Error('a used token still works'),
    (thrown: unknown) => thrown,
  );
  if (!isEdgeEnrollmentError(error, 'USED_OR_UNKNOWN')) throw error;
}

async function expectRefused(signIn: Promise<unknown>): Promise<void> {
  const error: unknown = await signIn.then(
    () => new Error('the old certificate still works'),
    (thrown: unknown) => thrown,
  );
  if (!isWrongCredentials(error)) throw error;
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
