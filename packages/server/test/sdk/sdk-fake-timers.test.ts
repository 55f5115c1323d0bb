import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => void vi.useFakeTimers({ shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

test('a person is warned a minute before the session ends', async () => {
  await using controller = await startTestController();
  const ada = await controller.createIdentity({ name: 'Ada' });
  const edge = await ada.signIn();
  const warn = vi.fn();
  edge.on('expiring', warn);
  await vi.advanceTimersByTimeAsync(29 * 60_000);
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce());
  await vi.advanceTimersByTimeAsync(60_000);
  await vi.waitFor(() => expect(edge.state).toBe('expired'));
});

test('the recipe in docs/sdk/testing.md is this test', async () => {
  const texts = [new URL('../../../../docs/sdk/testing.md', import.meta.url), import.meta.filename].map((file) =>
    readFile(file, 'utf8'),
  );
  const [readme = '', own = ''] = await Promise.all(texts);
  const [, recipe] = /\n```ts\n((?:(?!```)[\s\S])*useFakeTimers[\s\S]*?)```\n/.exec(readme) ?? [];
  expect(own).toContain(recipe ?? 'no recipe');
});

// One controller for many tests, as with the fixture of that page.
test('a controller that was started before works during the fake timers and after them', async () => {
  vi.useRealTimers();
  await using controller = await startTestController();
  const ada = await controller.createIdentity();
  await using before = await ada.signIn();
  for (let round = 0; round < 2; round += 1) {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    await using edge = await ada.signIn();
    await vi.advanceTimersByTimeAsync(31 * 60_000);
    await vi.waitFor(() => expect(edge.state).toMatch(/expired|stale/));
    await using later = await ada.signIn();
    vi.useRealTimers();
    await using after = await ada.signIn();
    expect([later.state, after.state]).toEqual(['active', 'active']);
    await before.client.currentIdentity.get();
  }
  await before.client.currentIdentity.get();
});

test('what a controller writes when the fake timers end is written all the same', async () => {
  vi.useRealTimers();
  await using controller = await startTestController();
  const ada = await controller.createIdentity();
  for (let round = 0; round < 10; round += 1) {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const edge = await ada.signIn();
    await vi.advanceTimersByTimeAsync(31 * 60_000);
    // Nobody waits for it, and its entry in the audit log is on its way when the timers end.
    ada.signIn().catch(() => undefined);
    await sleep(round * 3);
    vi.useRealTimers();
    await ada.signIn();
    await edge[Symbol.asyncDispose]();
  }
});
