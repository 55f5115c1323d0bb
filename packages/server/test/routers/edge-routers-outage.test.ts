import { decode, RouteSchema } from '@edge-controller/router-messages';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { expect, it, vi } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { startPrivateRedis } from '../support/redis.ts';
import { bind, dialed, dialMessage, routeResult } from './edge-routers/raw-requests.ts';
import { RawRouter } from './edge-routers/raw-router.ts';
import { signIn } from './router-double/routed-network.ts';

it('a circuit ends that cannot be confirmed, because a store has gone while its host answered', async () => {
  // One of its own, which may stand still.
  await using redis = await startPrivateRedis();
  const client = await createRedisClient({ url: redis.url }).connect();
  await using controller = await startTestController({ databaseUrl: await migratedDatabase(), redisUrl: redis.url });
  // With its policies for routers.
  await (await controller.startRouter()).stop();
  const { id } = await controller.createService({ encryptionRequired: false });
  const [host, ada] = [await signIn(controller), await signIn(controller)];
  const router = await RawRouter.enroll(controller);
  const hosting = { sessionToken: await host.session(id, 'Bind'), apiSessionToken: host.token };
  expect(await bind(router, { ...hosting, address: 't' })).toMatchObject({ result: 'SUCCESS' });
  const dialing = { sessionToken: await ada.session(id, 'Dial'), apiSessionToken: ada.token };
  router.send(controlTypes.createCircuit, dialMessage(dialing));
  const frame = await router.peer.ofType(controlTypes.route);
  await client.sendCommand(['CLIENT', 'PAUSE', '5000', 'ALL']);
  routeResult(router, frame, decode(RouteSchema, frame.body));
  expect(
    dialed(await router.peer.take('the refusal', ({ type }) => type === controlTypes.error, 20_000)),
  ).toMatchObject({
    code: 1,
  });
  await router.peer.ofType(controlTypes.unroute);
  await client.close();
  const { circuits, terminators } = controller.admin.management;
  await vi.waitFor(async () => expect((await circuits.list()).data).toEqual([]));
  expect((await terminators.list()).data).toMatchObject([{ dynamicCost: 0 }]);
  router.close();
});
