import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import {
  createEdgeClient,
  devicePosture,
  isEdgeNetworkError,
  isInvalidPosture,
  isWrongCredentials,
} from '@edge-controller/sdk/node';
import { createAuthenticator } from '../totp/authenticator.ts';
import { codeTimeout, createService } from './create-service.ts';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const name = `example-${randomUUID()}`;
  const { identities } = admin.management;
  const { id } = await identities.create({ name, type: 'User', isAdmin: false, enrollment: { updb: name } });
  try {
    const { jwt } = (await identities.get(id)).enrollment.updb ?? {};
    if (jwt === undefined) throw new Error('the new identity has no enrollment');
    const { serviceId, remove } = await createService(admin, name, id);
    try {
      await useService(await signIn(name, jwt), serviceId);
    } finally {
      await remove();
    }
  } finally {
    await identities.delete(id);
    await admin.signOut();
  }
}

async function signIn(username: string, jwt: string): Promise<NodeEdgeClient> {
  const edge = createEdgeClient(url, { caFile, posture: devicePosture() });
  const password = randomUUID();
  await edge.enroll({ jwt }, { password });
  await edge.signIn.password({ username, password });
  return edge;
}

async function useService(edge: NodeEdgeClient, serviceId: string): Promise<void> {
  const { secret, verify } = await edge.mfa.enroll();
  const authenticator = createAuthenticator(secret);
  await openSession(edge, serviceId, 'before the code');

  await verify(await authenticator.nextCode());
  await openSession(edge, serviceId, 'after the code');

  await sleep(codeTimeout * 1_000);
  await openSession(edge, serviceId, `${codeTimeout} seconds later`);

  const { state } = await edge.answer.totp(await authenticator.nextCode());
  await openSession(edge, serviceId, `after another code in the ${state} session`);
  await edge.signOut();
}

async function openSession(edge: NodeEdgeClient, serviceId: string, when: string): Promise<void> {
  try {
    const { type, edgeRouters } = await edge.sessions.create({ serviceId, type: 'Dial' });
    console.log(`${when}: opened a session (${type}) through ${edgeRouters.length} edge router`);
  } catch (error) {
    if (!isInvalidPosture(error)) throw error;
    const failing = Object.values(error.cause?.data ?? {}).flat();
    console.log(`${when}: no session, because these checks do not pass: ${failing.map(({ typeId }) => typeId)}`);
  }
  for (const { name, postureQueries } of (await edge.services.list()).data) {
    const queries = postureQueries.flatMap((policy) => policy.postureQueries);
    const shown = queries.map(({ queryType, isPassing }) => `${queryType} ${isPassing ? 'passes' : 'fails'}`);
    console.log(`  ${name.slice(0, 12)}…: ${shown.sort().join(', ')}`);
  }
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
