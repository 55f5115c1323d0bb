import ky from 'ky';
import { describe, expect, inject, test, vi } from 'vitest';
import { sendExchange as chosen } from '#send-exchange';
import type { CallHooks, Exchange } from './exchange.ts';
import { sendExchange as sendWithFetch } from './send-with-fetch.ts';
import { sendExchange as sendWithKy } from './send-with-ky.ts';

const lost = () => Promise.reject(new TypeError('lost'));
const status = (code: number) => async () => new Response(code === 204 ? null : `${code}`, { status: code });

/** An exchange whose requests end in this order, with a list of what happened. */
function exchangeOf(ends: readonly (() => Promise<Response>)[], more: Partial<Exchange> = {}) {
  const seen: string[] = [];
  const left = [...ends];
  const hooks: CallHooks = {
    before: async (request, failure) => {
      request.headers.set('x-count', `${ends.length - left.length}`);
      seen.push(`before ${failure?.response?.status ?? failure?.error?.message ?? 'the first'}`);
    },
    after: async (response) => void seen.push(`after ${response.status} ${await response.text()}`),
    failed: () => undefined,
  };
  const exchange: Exchange = {
    url: () => `https://edge-${ends.length - left.length}.example/path`,
    init: { method: 'POST', body: 'a body' },
    signal: new AbortController().signal,
    hooks,
    repeats: 3,
    mayRepeat: async () => true,
    pause: () => 0,
    async fetch(request) {
      seen.push(`${request.method} ${request.url} ${request.headers.get('x-count')} ${await request.clone().text()}`);
      return (left.shift() ?? lost)();
    },
    ...more,
  };
  return { exchange, seen };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** What the tests of this project send with. */
    sendsWith: 'ky' | 'fetch';
  }
}

test('the tests of `requests` run with ky, and once more with fetch', () => {
  expect(chosen).toBe({ ky: sendWithKy, fetch: sendWithFetch }[inject('sendsWith')]);
});

describe.each([
  ['ky', sendWithKy],
  ['fetch', sendWithFetch],
])('with %s', (_name, sendExchange) => {
  test('a request is sent again, complete and with its hooks, to the URL of the moment', async () => {
    const { exchange, seen } = exchangeOf([lost, status(503), status(201)]);
    expect((await sendExchange(exchange)).status).toBe(201);
    expect(seen).toEqual([
      ...['before the first', 'POST https://edge-0.example/path 0 a body'],
      ...['before lost', 'POST https://edge-1.example/path 1 a body', 'after 503 503'],
      ...['before 503', 'POST https://edge-2.example/path 2 a body', 'after 201 201'],
    ]);
  });

  test('it resolves to the last response, and rejects when there is none', async () => {
    const refused = exchangeOf([lost, status(404)], { repeats: 1 });
    expect((await sendExchange(refused.exchange)).status).toBe(404);
    const gone = exchangeOf([status(503), lost], { repeats: 1 });
    await expect(sendExchange(gone.exchange)).rejects.toThrow('lost');
    expect([refused.seen.length, gone.seen.length]).toEqual([5, 5]);
  });

  test('it asks once for each failure whether the request may be sent again, but not after the last one', async () => {
    const mayRepeat = vi.fn(async () => true);
    await sendExchange(exchangeOf([status(500), lost, status(500)], { repeats: 2, mayRepeat }).exchange);
    expect(mayRepeat.mock.calls).toMatchObject([[{ response: { status: 500 } }], [{ error: { message: 'lost' } }]]);
    const never = exchangeOf([status(500)], { mayRepeat: async () => false });
    expect((await sendExchange(never.exchange)).status).toBe(500);
    const once = exchangeOf([status(500)], { repeats: 0, mayRepeat: () => expect.fail('asked') });
    expect((await sendExchange(once.exchange)).status).toBe(500);
  });

  test.each(['before', 'after'] as const)('the error of a hook (%s) is the error, and ends the call', async (name) => {
    const reason = new Error('from the hook');
    const { exchange, seen } = exchangeOf([status(200)]);
    const hooks = { ...exchange.hooks, [name]: () => Promise.reject(reason) } as CallHooks;
    await expect(sendExchange({ ...exchange, hooks })).rejects.toBe(reason);
    expect(seen.filter((line) => line.startsWith('POST'))).toHaveLength(name === 'before' ? 0 : 1);
  });

  test('the error of a hook that uses ky is not taken for a response', async () => {
    const { exchange } = exchangeOf([status(503), status(200)]);
    const before = (_request: Request, failure?: object) =>
      failure ? ky('https://other.example', { fetch: status(404) }).then(() => undefined) : Promise.resolve();
    const hooks: CallHooks = { ...exchange.hooks, before } as CallHooks;
    await expect(sendExchange({ ...exchange, hooks })).rejects.toMatchObject({ name: 'HTTPError' });
  });

  test('an abort ends the pause at once, with its reason', async () => {
    const controller = new AbortController();
    const { exchange, seen } = exchangeOf([lost, status(200)], { signal: controller.signal, pause: () => 60_000 });
    const sent = sendExchange(exchange);
    const reason = new Error('user left the page');
    setTimeout(() => controller.abort(reason), 20);
    await expect(sent).rejects.toBe(reason);
    expect(seen).toHaveLength(2);
  });

  test('an abort reaches the request, and nothing is sent again', async () => {
    const controller = new AbortController();
    const reason = new Error('user left the page');
    const fetch = (request: Request) =>
      new Promise<Response>((_resolve, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
        controller.abort(reason);
      });
    const mayRepeat = async () => !controller.signal.aborted;
    const { exchange } = exchangeOf([], { signal: controller.signal, fetch, mayRepeat });
    await expect(sendExchange(exchange)).rejects.toBe(reason);
  });
});
