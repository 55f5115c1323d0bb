import { once } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import { scriptedController } from '../../test/support/scripted-server.ts';
import type { Logger } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

/** Signs in with two listeners: one throws, one rejects. */
async function signInWith(error: unknown, logger?: Logger) {
  await using controller = await scriptedController();
  const edge = createEdgeClient(controller.url, { logger });
  edge.on('stateChange', () => {
    throw error;
  });
  edge.on('session', () => Promise.reject(error));
  expect((await edge.signIn.password(alice)).state).toBe('full');
  edge.dispose();
}

test('what a listener throws or rejects with goes to reportError', async () => {
  const reported = vi.fn();
  vi.stubGlobal('reportError', reported);
  onTestFinished(() => void vi.unstubAllGlobals());
  const error = new TypeError('broken listener');
  await signInWith(error);
  await expect.poll(() => reported.mock.calls).toEqual([[error], [error]]);
});

test('in Node, which has no reportError, it is a warning of the process, which does not end', async () => {
  expect(globalThis).not.toHaveProperty('reportError');
  const error = new TypeError('broken listener');
  const warned = once(process, 'warning');
  await signInWith(error);
  expect(await warned).toEqual([error]);
  const warnedOfText = once(process, 'warning');
  await signInWith('a text');
  expect(await warnedOfText).toMatchObject([{ name: 'Warning', message: 'a text' }]);
});

test('the logger says which listener failed, without the text of the error', async () => {
  vi.stubGlobal('reportError', vi.fn());
  onTestFinished(() => void vi.unstubAllGlobals());
  const lines: string[] = [];
  const logger: Logger = { debug() {}, info() {}, warn() {}, error: (line) => lines.push(line) };
  await signInWith(new TypeError('my secret'), logger);
  const expected = ['a listener of "stateChange" failed: TypeError', 'a listener of "session" failed: TypeError'];
  await expect.poll(() => lines).toEqual(expected);
  const broken: Logger = {
    ...logger,
    error() {
      throw new Error('disk full');
    },
  };
  await signInWith(new Error('x'), broken);
});
