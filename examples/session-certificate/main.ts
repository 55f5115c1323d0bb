import { X509Certificate } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import {
  createCsr,
  createEdgeClient,
  isEdgeApiError,
  isEdgeNetworkError,
  isWrongCredentials,
} from '@edge-controller/sdk/node';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

async function run(username: string, password: string): Promise<void> {
  const credentials = { username, password };
  const edge = createEdgeClient(url, { caFile });
  const session = await edge.signIn.password(credentials);
  console.log(`signed in as ${session.identity.name}`);

  const id = await createCertificate(edge);
  await showCertificates(edge);

  const other = createEdgeClient(url, { caFile });
  await other.signIn.password(credentials);
  await expectMissing(other, id);
  console.log('another session of the same identity does not see it');
  await other.signOut();

  await edge.signOut();
  await edge.signIn.password(credentials);
  await expectMissing(edge, id);
  console.log('signed out and in again: the certificate is gone with its session');
  await edge.signOut();
}

async function createCertificate(edge: EdgeClient): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  // Only this process has the private key.
  const keys = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
  const csr = await createCsr('example', keys);
  const { id, certificate } = await edge.client.currentApiSessionCertificates.create({ csr });
  const { subject, subjectAltName, validTo } = new X509Certificate(certificate);
  console.log(`got the certificate ${id} until ${validTo}`);
  console.log(`  ${subject}`);
  console.log(`  ${subjectAltName}`);
  return id;
}

async function showCertificates(edge: EdgeClient): Promise<void> {
  const { data } = await edge.client.currentApiSessionCertificates.list();
  for (const { id, fingerprint } of data) console.log(`the session has the certificate ${id}: ${fingerprint}`);
}

async function expectMissing(edge: EdgeClient, id: string): Promise<void> {
  try {
    await edge.client.currentApiSessionCertificates.get(id);
  } catch (error) {
    if (isEdgeApiError(error, 'NOT_FOUND')) return;
    throw error;
  }
  throw new Error('another session sees the certificate');
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
