import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  decode,
  encode,
  SessionRemovedSchema,
  ValidateSessionsRequestSchema,
} from '@edge-controller/router-messages';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RawRouter } from './edge-routers/raw-router.ts';
import type { RoutedIdentity } from './router-double/routed-network.ts';
import { signIn } from './router-double/routed-network.ts';

let controller: TestController;
let ada: RoutedIdentity;
let router: RawRouter;
beforeAll(async () => {
  controller = await startTestController();
  // Sessions need a router that applications reach.
  await controller.startRouter();
  ada = await signIn(controller);
});
afterAll(() => controller[Symbol.asyncDispose]());
beforeEach(async () => {
  router?.close();
  router = await RawRouter.enroll(controller);
});

const remove = (id: string) => controller.admin.management.sessions.delete(id);

async function openSession(): Promise<string> {
  const { id } = await controller.createService();
  return decodeJwt(await ada.session(id, 'Dial')).jti ?? '';
}

/** Says that it still has sessions. */
async function validate(...sessionTokens: string[]): Promise<void> {
  router.send(controlTypes.validateSessions, { body: encode(ValidateSessionsRequestSchema, { sessionTokens }) });
  await router.settled();
}

async function removedSessions(): Promise<readonly string[]> {
  return decode(SessionRemovedSchema, (await router.peer.ofType(controlTypes.sessionRemoved)).body).ids;
}

/** The API sessions that it has to close, and those that may connect again. */
async function closedAndBack(): Promise<[closed: readonly string[], back: readonly string[]]> {
  const { tokens } = decode(ApiSessionRemovedSchema, (await router.peer.ofType(controlTypes.apiSessionRemoved)).body);
  const added = decode(ApiSessionAddedSchema, (await router.peer.ofType(controlTypes.apiSessionAdded)).body);
  expect(added.isFullState).toBe(false);
  return [tokens, added.apiSessions.map(({ token }) => token)];
}

describe('a session that a router had before it connected', () => {
  it('ends with all channels of its API session there, because nobody knows its circuits', async () => {
    const id = await openSession();
    await validate(id);
    await remove(id);
    expect(await removedSessions()).toEqual([id]);
    expect(await closedAndBack()).toEqual([[ada.token], [ada.token]]);
  });

  it('and has ended meanwhile, too', async () => {
    const id = await openSession();
    await remove(id);
    expect(await removedSessions()).toEqual([id]);
    await validate(id);
    expect(await removedSessions()).toEqual([id]);
    expect(await closedAndBack()).toEqual([[ada.token], [ada.token]]);
  });
});

it('a session that began later ends alone', async () => {
  await validate(await openSession());
  const id = await openSession();
  await remove(id);
  expect(await removedSessions()).toEqual([id]);
  await router.settled();
  expect(router.peer.unread.filter(({ type }) => type === controlTypes.apiSessionRemoved)).toEqual([]);
});
