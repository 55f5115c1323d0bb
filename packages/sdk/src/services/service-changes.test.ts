import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { browserWindow } from '../../test/support/browser-window.ts';
import { collectGarbage, pass } from '../../test/support/pass-time.ts';
import { alice, iterate, loadIterations, namesOf, poll, signedIn } from '../../test/support/service-iterations.ts';
import { servicesController, usual } from '../../test/support/services-controller.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const minute = 60_000;
const [wiki, mail, chat] = [{ id: 'wiki' }, { id: 'mail' }, { id: 'chat' }];

beforeEach(async () => {
  await loadIterations();
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('an iteration', () => {
  test('gets the list at once, and again when the time of the last change is another one', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const { lists } = iterate(edge);
    await pass(100);
    expect(lists).toEqual(['wiki']);
    expect(controller.seen).toEqual([`${poll}?touch=false`, 'GET services?limit=100&offset=0']);
    await pass(10 * minute);
    expect([controller.polls(), controller.lists(), lists]).toEqual([11, 1, ['wiki']]);
    controller.change(wiki, mail);
    await pass(minute);
    expect([controller.polls(), controller.lists(), lists]).toEqual([12, 2, ['wiki', 'wiki,mail']]);
    edge.dispose();
  });

  test('sees a change that happens while the list is read', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const send = controller.fetch;
    let isChanged = false;
    const busy = createEdgeClient(controller.url, {
      async fetch(input, init) {
        const response = await send(input, init);
        if (!isChanged && controller.lists() === 1) {
          isChanged = true;
          controller.change(mail);
        }
        return response;
      },
    });
    await busy.signIn.password(alice);
    const { lists } = iterate(busy);
    await pass(100);
    expect(lists).toEqual(['wiki']);
    await pass(minute);
    expect(lists).toEqual(['wiki', 'mail']);
    for (const client of [edge, busy]) client.dispose();
  });

  test('reads all pages', async () => {
    const { edge, controller } = await signedIn();
    const all = Array.from({ length: 150 }, (_, at) => ({ id: `s${at}` }));
    const page = (data: object[], offset: number) =>
      Response.json({ data, meta: { pagination: { limit: 100, offset, totalCount: 150 } } });
    controller.responses.push(usual, page(all.slice(0, 100), 0), page(all.slice(99), 99));
    const { lists } = iterate(edge);
    await pass(100);
    expect(lists).toEqual([all.map(({ id }) => id).join()]);
    edge.dispose();
  });

  test('polls at the interval, which is at least five seconds', async () => {
    const { edge, controller } = await signedIn();
    iterate(edge, { interval: 5_000 });
    await pass(59_000);
    expect(controller.polls()).toBe(12);
    for (const interval of [4_999, 0, Number.NaN]) {
      expect(await iterate(edge, { interval }).ended).toEqual(
        new TypeError(`interval must be at least 5000 milliseconds, got ${interval}`),
      );
    }
    const misspelled: object = { intervall: 5_000 };
    expect(await iterate(edge, misspelled).ended).toMatchObject({ message: expect.stringContaining('"interval"') });
    edge.dispose();
  });

  test('whose loop is slow gets the newest list, and nobody polls meanwhile', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const iterator = edge.services.changes()[Symbol.asyncIterator]();
    const next = async () => namesOf((await iterator.next()).value);
    const first = next();
    await pass(100);
    expect(await first).toBe('wiki');
    for (const service of [mail, chat]) {
      controller.change(service);
      await pass(5 * minute);
    }
    expect(controller.polls()).toBe(1);
    const second = next();
    await pass(100);
    expect([await second, controller.polls()]).toEqual(['chat', 2]);
    edge.dispose();
  });

  test('gives each list to one of the calls that wait, in their order', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const iterator = edge.services.changes()[Symbol.asyncIterator]();
    const all = Promise.all([iterator.next(), iterator.next()]);
    await pass(100);
    controller.change(mail);
    await pass(minute);
    expect((await all).map(({ value }) => namesOf(value))).toEqual(['wiki', 'mail']);
    edge.dispose();
  });
});

describe('iterations of one client', () => {
  test('share their polls, at the shortest interval, and get the same list', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const all = [iterate(edge), iterate(edge, { interval: 20_000 }), iterate(edge, { interval: 30_000 })];
    await pass(100);
    expect([controller.polls(), controller.lists()]).toEqual([1, 1]);
    controller.change(mail);
    await pass(20_000);
    expect([controller.polls(), controller.lists()]).toEqual([2, 2]);
    for (const { lists } of all) expect(lists).toEqual(['wiki', 'mail']);
    const late = iterate(edge);
    await pass(100);
    expect([controller.polls(), controller.lists(), late.lists]).toEqual([3, 2, ['mail']]);
    edge.dispose();
  });

  test('one whose loop was slow gets the list that another one has waited for', async () => {
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    const slow = edge.services.changes()[Symbol.asyncIterator]();
    iterate(edge);
    void slow.next();
    await pass(100);
    controller.change(mail);
    await pass(minute);
    const polls = controller.polls();
    expect(namesOf((await slow.next()).value)).toBe('mail');
    expect(controller.polls()).toBe(polls);
    edge.dispose();
  });
});

describe('an end by the application', () => {
  test('break stops the timer and leaves no listener behind', async () => {
    const page = browserWindow();
    const added = vi.spyOn(page.document, 'addEventListener');
    const { edge, controller } = await signedIn();
    controller.change(wiki);
    await pass(2_000);
    const timers = vi.getTimerCount();
    const run = (async () => {
      for await (const [service] of edge.services.changes()) return service?.id;
      return null;
    })();
    await pass(2_000);
    expect(await run).toBe('wiki');
    expect(vi.getTimerCount()).toBe(timers);
    expect(added.mock.lastCall?.[2]).toMatchObject({ signal: { aborted: true } });
    page.show('visible');
    await pass(10 * minute);
    expect(controller.polls()).toBe(1);
    edge.dispose();
  });

  test('return ends it while a list is awaited', async () => {
    const { edge, controller } = await signedIn();
    const iterator = edge.services.changes()[Symbol.asyncIterator]();
    void iterator.next();
    await pass(100);
    const waiting = iterator.next();
    expect(await iterator.return?.()).toEqual({ done: true, value: undefined });
    expect(await waiting).toEqual({ done: true, value: undefined });
    await pass(10 * minute);
    expect(controller.polls()).toBe(1);
    edge.dispose();
  });

  test('the signal ends it with its reason, and the others go on', async () => {
    const { edge, controller } = await signedIn();
    const aborter = new AbortController();
    const { ended } = iterate(edge, { signal: aborter.signal });
    const other = iterate(edge);
    await pass(100);
    aborter.abort(new Error('enough'));
    expect(await ended).toEqual(new Error('enough'));
    expect(await iterate(edge, { signal: aborter.signal }).ended).toEqual(new Error('enough'));
    controller.change(wiki);
    await pass(minute);
    expect(other.lists).toEqual(['', 'wiki']);
    edge.dispose();
  });

  test('dispose ends it with a TypeError, also in the middle of a request', async () => {
    const { edge, controller } = await signedIn();
    const { ended } = iterate(edge);
    while (controller.polls() === 0) await pass(1);
    edge.dispose();
    expect(await ended).toBeInstanceOf(TypeError);
    await pass(10 * minute);
    expect(controller.polls()).toBe(1);
  });

  test('a client that is dropped between two lists is collected', async () => {
    const controller = servicesController();
    async function use(): Promise<WeakRef<EdgeClient>> {
      const { edge } = await signedIn({ keepAlive: true }, controller);
      const iterator = edge.services.changes()[Symbol.asyncIterator]();
      const first = iterator.next();
      await pass(100);
      await first;
      return new WeakRef(edge);
    }
    const dropped = await use();
    await collectGarbage();
    expect(dropped.deref()).toBeUndefined();
    const { length } = controller.seen;
    await pass(60 * minute);
    expect(controller.seen).toHaveLength(length);
  });

  test('an iteration that waits goes on, although nothing else holds the client', async () => {
    const controller = servicesController();
    const lists: unknown[] = [];
    const ended = new AbortController();
    async function use(): Promise<void> {
      const { edge } = await signedIn({}, controller);
      void (async () => {
        for await (const services of edge.services.changes({ signal: ended.signal })) lists.push(services);
      })().catch(() => undefined);
      await pass(100);
    }
    await use();
    await collectGarbage();
    controller.change(wiki);
    await pass(minute);
    expect(lists).toHaveLength(2);
    ended.abort();
  });
});
