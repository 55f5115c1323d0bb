import { startTestController } from '@edge-controller/sdk/testing';
import { followClock, readPage } from './reader.ts';
import { serveWiki } from './wiki.ts';

await using controller = await startTestController();
await using router = await controller.startRouter({ name: 'router-1' });
const { id: serviceId, name } = await controller.createService({ name: 'wiki', dial: ['#staff'], bind: ['#servers'] });
const server = await controller.createIdentity({ name: 'server-1', roleAttributes: ['servers'] });
const ada = await controller.createIdentity({ name: 'Ada', roleAttributes: ['staff'] });

await using hosting = await server.signIn();
await using hosted = await serveWiki(hosting, name);
console.log(`the service is hosted on ${hosted.routers.length} edge router: ${router.name}`);

await using reading = await ada.signIn();
console.log(await readPage(reading, name));

let ticks = 0;
const ended = followClock(reading, name, (tick) => {
  ticks += 1;
  console.log(tick);
  if (ticks === 3) void removeSession();
});
console.log(`the connection has ended: ${await ended}`);
console.log(`with a new session, Ada reads it again: ${await readPage(reading, name)}`);

async function removeSession(): Promise<void> {
  const { sessions } = controller.admin.management;
  const { data } = await sessions.list({ filter: `service = "${serviceId}" and type = "Dial"` });
  for (const { id } of data) await sessions.delete(id);
  console.log('the administrator has removed the session');
}
