import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import {
  createEdgeClient,
  isEdgeApiError,
  isEdgeNetworkError,
  isWrongCredentials,
  pages,
} from '@edge-controller/sdk/node';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  console.log(`signed in as ${admin.session?.identity.name}`);

  const name = `example-${randomUUID()}`;
  const { id } = await admin.management.identities.create({
    name,
    type: 'User',
    isAdmin: false,
    enrollment: { updb: name },
  });
  console.log(`created the identity ${name}`);
  try {
    await useIdentity(admin, { id, name });
  } finally {
    // Clean up, also after a failure.
    await admin.management.identities.delete(id).catch(ignoreMissing);
    await admin.signOut();
  }
}

async function useIdentity(admin: EdgeClient, { id, name }: { id: string; name: string }): Promise<void> {
  const { jwt } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
  if (jwt === undefined) throw new Error('the new identity has no enrollment');
  const password = randomUUID();
  const user = createEdgeClient(url, { caFile });
  user.on('expired', () => console.log('  the client noticed that its session has ended'));

  await user.enroll({ jwt }, { password });
  console.log('enrolled the identity with a password');

  const session = await user.signIn.password({ username: name, password });
  console.log(
    `signed in as the identity: ${session.state} session, expires at ${session.expiresAt?.toISOString()} if it is not used`,
  );

  const detail = await user.client.currentApiSession.get();
  console.log(`read its session ${detail.id}, created from ${detail.ipAddress}`);

  const owned: string[] = [];
  for await (const row of pages(admin.management.apiSessions.list)) {
    if (row.identityId === id) owned.push(row.id);
  }
  console.log(`the administrator sees ${owned.length} session of the identity`);

  for (const sessionId of owned) await admin.management.apiSessions.delete(sessionId);
  await expectRefused(user);
  console.log('removed this session: the next call was refused');

  await user.signIn.password({ username: name, password });
  await admin.management.identities.delete(id);
  await expectRefused(user);
  console.log('deleted the identity: the next call of its new session was refused');
}

async function expectRefused(user: EdgeClient): Promise<void> {
  try {
    await user.client.currentApiSession.get();
  } catch (error) {
    if (isEdgeApiError(error, 'UNAUTHORIZED')) return;
    throw error;
  }
  throw new Error('a removed session still works');
}

function ignoreMissing(error: unknown): void {
  if (!isEdgeApiError(error, 'NOT_FOUND')) throw error;
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
