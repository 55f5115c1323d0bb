import { expect, test } from 'vitest';
import { scriptedController } from '../../test/support/scripted-server.ts';
import type { Logger, TokenStorage } from '../index.ts';
import { createEdgeClient, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

/** A client whose storage has this value in the place of a token. */
async function openWith(value: unknown) {
  const controller = await scriptedController();
  const storage: TokenStorage = memoryStorage();
  const key = `edge-session ${controller.url}`;
  await storage.set(key, value as string);
  const lines: string[] = [];
  const logger: Logger = { debug() {}, info() {}, warn: (line) => lines.push(line), error: (line) => lines.push(line) };
  const edge = createEdgeClient(controller.url, { storage, logger });
  return {
    ...{ controller, edge, lines },
    stored: () => storage.get(key),
    async [Symbol.asyncDispose]() {
      edge.dispose();
      await controller[Symbol.asyncDispose]();
    },
  };
}

const damaged = [
  ['a line break', 'secret\ntoken'],
  ['a zero', 'secret\0token'],
  ['letters that no header can carry', 'secret-tökén-€'],
  ['no text', { token: 'secret' }],
] as const;

test.each(damaged)('a token with %s is removed and logged without its value', async (_name, value) => {
  await using opened = await openWith(value);
  const { controller, edge, lines } = opened;
  expect(await edge.restore()).toBeNull();
  expect([edge.state, opened.stored(), controller.seen]).toEqual(['signed-out', null, []]);
  expect(lines).toEqual(['the token in the storage was damaged and is removed']);
  expect((await edge.signIn.password(alice)).state).toBe('full');
  expect(opened.stored()).toBe('token-1');
});

test('a client that makes no call removes a damaged token, too', async () => {
  await using opened = await openWith('secret\ntoken');
  const { edge, lines } = opened;
  await edge.waitFor('signed-out', { timeout: 2_000 });
  expect([opened.stored(), lines.length]).toEqual([null, 1]);
});

test('a call with a damaged token is one without a session', async () => {
  await using opened = await openWith('secret\ntoken');
  const { edge } = opened;
  await expect(edge.management.identities.list()).rejects.toMatchObject({ name: 'EdgeApiError', code: 'UNAUTHORIZED' });
  expect([edge.state, opened.stored(), await edge.signOut()]).toEqual(['signed-out', null, { confirmed: true }]);
});
