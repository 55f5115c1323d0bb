import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { createController } from '@edge-controller/server';

const dataDir = await mkdtemp(join(tmpdir(), 'edge-embedded-'));
const credentials = { username: 'admin', password: randomUUID() };

const controller = await createController({
  port: 0,
  dataDir,
  adminUsername: credentials.username,
  adminPassword: credentials.password,
  logLevel: 'warn',
});
try {
  controller.events.on('authenticated', ({ identityId, method }) => {
    console.log(`event: ${identityId} signed in with ${method}`);
  });
  const { url } = await controller.listen();
  console.log(`the controller of this process listens on ${url}`);

  const edge = createEdgeClient(url, { caFile: controller.caFile });
  const session = await edge.signIn.password(credentials);
  console.log(`signed in as ${session.identity.name}`);

  const { data } = await edge.management.identities.list();
  console.log(`identities: ${data.map(({ name }) => name).join(', ')}`);
  await edge.signOut();
} finally {
  await controller.close();
  await rm(dataDir, { recursive: true });
}
console.log('closed');
