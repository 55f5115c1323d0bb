import { isEdgeConnectionError, mtls } from '@edge-controller/sdk/node';
import type { TestIdentity } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { followClock, readPage } from './reader.ts';
import { serveWiki } from './wiki.ts';

await using controller = await startTestController();
await using router = await controller.startRouter({ name: 'router-1' });
const { id: serviceId, name } = await controller.createService({ name: 'wiki', dial: ['#staff'], bind: ['#servers'] });
const server = await controller.createIdentity({ name: 'server-1', roleAttributes: ['servers'] });
const ada = await controller.createIdentity({ name: 'Ada', roleAttributes: ['staff'] });

await using hosting = await signIn(server);
await using hosted = await serveWiki(hosting, name);
console.log(`the service is hosted on ${hosted.routers.length} edge router: ${router.name}`);

await using reading = await signIn(ada);
const wiki = { service: name, hostId: server.id };
const page = await readPage(reading, wiki);
console.log(page.replace(ada.id, 'Ada'));

const imposter = await reading.dial(name, { authenticate: true, peer: ada.id }).catch((error: unknown) => error);
if (!isEdgeConnectionError(imposter, 'NOT_AUTHENTICATED')) throw new Error('another host was accepted');
console.log(`a host that is somebody else is refused: ${imposter.code}`);

let ticks = 0;
const ended = followClock(reading, wiki, (tick) => {
  ticks += 1;
  console.log(tick);
  if (ticks === 3) void removeSession();
});
console.log(`the connection has ended: ${await ended}`);
console.log(`with a new session, Ada reads it again: ${(await readPage(reading, wiki)).replace(ada.id, 'Ada')}`);

/** With a certificate: what both ends prove to each other. */
async function signIn(identity: TestIdentity) {
  const edge = controller.client({ fetch: mtls(await controller.clientCertificate(identity)) });
  await edge.signIn.certificate();
  return edge;
}

async function removeSession(): Promise<void> {
  const { sessions } = controller.admin.management;
  const { data } = await sessions.list({ filter: `service = "${serviceId}" and type = "Dial"` });
  for (const { id } of data) await sessions.delete(id);
  console.log('the administrator has removed the session');
}
