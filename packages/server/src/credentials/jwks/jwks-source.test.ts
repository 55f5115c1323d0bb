import type { RequestListener } from 'node:http';
import { describe, expect, it, vi } from 'vitest';
import { json, redirect, startJsonProvider } from '../../../test/support/json-provider.ts';
import { defaultSettings } from '../../core/config/load.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { JwksEndpoint } from './jwks-source.ts';
import { JwksSource } from './jwks-source.ts';

const second = 1_000;
const minute = 60 * second;

const kidsOf = (document: Buffer): Set<unknown> => {
  const { keys } = JSON.parse(String(document)) as { keys: { kid: string }[] };
  return new Set(keys.map(({ kid }) => kid));
};
const jwks = (...kids: string[]) => json({ keys: kids.map((kid) => ({ kid })) });
const broken = json({}, 'text/html');

/** A source whose clock moves when the test says so. */
function startSource(settings: Partial<Settings> = {}) {
  let time = 0;
  const log = { info: vi.fn(), warn: vi.fn() };
  const source = new JwksSource({
    read: kidsOf,
    settings: { ...defaultSettings(), ...settings },
    clock: { now: () => time },
    log,
  });
  return {
    keys: (endpoint: JwksEndpoint, kid: string) => source.keys(endpoint, kid),
    retain: (signerIds: readonly string[]) => source.retain(signerIds),
    log,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
    /** True: the source has this key now. */
    has: async (url: string, kid: string, signerId = 'signer') => {
      return (await source.keys({ signerId, url }, kid)).keys?.has(kid) ?? false;
    },
    problem: async (url: string, kid: string) => (await source.keys({ signerId: 'signer', url }, kid)).problem,
  };
}

describe('the keys of a signer', () => {
  it('are fetched once, at their first use, for all who need them', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has } = startSource();
    expect(provider.requests).toHaveLength(0);
    const found = await Promise.all(
      Array.from({ length: 200 }, (_, index) => has(provider.url, index % 2 ? 'a' : 'b')),
    );
    expect(found.filter(Boolean)).toHaveLength(100);
    for (let index = 0; index < 50; index += 1) expect(await has(provider.url, 'a')).toBe(true);
    expect(provider.requests).toHaveLength(1);
  });

  it('are fetched again before they are used after 10 minutes, and removed keys stop counting', async () => {
    await using provider = await startJsonProvider(jwks('a', 'b'));
    const { has, wait } = startSource();
    expect(await has(provider.url, 'a')).toBe(true);
    provider.serve(jwks('b'));
    wait(10 * minute - 1);
    expect(await has(provider.url, 'a')).toBe(true);
    expect(provider.requests).toHaveLength(1);
    wait(1);
    expect(await has(provider.url, 'a')).toBe(false);
    expect(await has(provider.url, 'b')).toBe(true);
    expect(provider.requests).toHaveLength(2);
  });

  it('follow a rotation within a second, while the known keys count', async () => {
    await using provider = await startJsonProvider(jwks('1'));
    const { has, wait } = startSource();
    expect(await has(provider.url, '1')).toBe(true);
    for (let kid = 2; kid < 10; kid += 1) {
      provider.serve(jwks(`${kid - 1}`, `${kid}`));
      expect(await has(provider.url, `${kid - 1}`)).toBe(true);
      wait(second);
      expect(await has(provider.url, `${kid}`)).toBe(true);
      if (kid > 2) expect(await has(provider.url, `${kid - 2}`)).toBe(false);
    }
  });

  it('do not change while nothing but known keys is used', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has, wait } = startSource();
    await has(provider.url, 'a');
    provider.serve(() => undefined);
    wait(9 * minute);
    expect(await has(provider.url, 'a')).toBe(true);
    expect(provider.requests).toHaveLength(1);
  });

  it('start anew with another URL', async () => {
    await using first = await startJsonProvider(jwks('a'));
    await using second = await startJsonProvider(jwks('b'));
    const { has } = startSource();
    expect(await has(first.url, 'a')).toBe(true);
    expect(await has(second.url, 'a')).toBe(false);
    expect(await has(second.url, 'b')).toBe(true);
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  it('are dropped with the signer, and a fetch for it ends', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has, retain, keys } = startSource();
    for (const id of ['kept', 'dropped']) await has(provider.url, 'a', id);
    retain(['kept']);
    for (const id of ['kept', 'dropped']) expect(await has(provider.url, 'a', id)).toBe(true);
    expect(provider.requests).toHaveLength(3);

    const closed = vi.fn();
    provider.serve((_, response) => response.on('close', closed));
    const waiting = keys({ signerId: 'slow', url: provider.url }, 'a');
    await vi.waitFor(() => expect(provider.requests).toHaveLength(4));
    retain([]);
    expect(await waiting).toMatchObject({ keys: null, problem: expect.stringContaining('disabled') });
    await vi.waitFor(() => expect(closed).toHaveBeenCalled());
  });

  it('are kept for a bounded number of signers, those that were used last', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has } = startSource();
    await has(provider.url, 'a', 'in use');
    for (let index = 0; index < 1_000; index += 1) {
      await has(provider.url, 'a', `signer ${index}`);
      await has(provider.url, 'a', 'in use');
    }
    expect(provider.requests).toHaveLength(1_001);
    await has(provider.url, 'a', 'signer 999');
    expect(provider.requests).toHaveLength(1_001);
    await has(provider.url, 'a', 'signer 0');
    expect(provider.requests).toHaveLength(1_002);
  });
});

describe('an unknown kid', () => {
  /** The seconds at which an unknown `kid` led to a fetch, when it was sent every half second. */
  async function fetchTimes(
    source: ReturnType<typeof startSource>,
    provider: { url: string; requests: readonly unknown[] },
    duration: number,
  ) {
    const times: number[] = [];
    for (let at = 0.5; at <= duration; at += 0.5) {
      source.wait(second / 2);
      const before = provider.requests.length;
      await source.has(provider.url, `random ${at}`);
      if (provider.requests.length > before) times.push(at);
    }
    return times;
  }

  it('leads to a fetch once a second, and more and more seldom when it brings nothing', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const source = startSource();
    await source.has(provider.url, 'a');
    expect(await fetchTimes(source, provider, 125)).toEqual([1, 3, 7, 15, 31, 61, 91, 121]);
    provider.serve(jwks('a', 'b'));
    source.wait(30 * second);
    expect(await source.has(provider.url, 'b')).toBe(true);
    expect(await fetchTimes(source, provider, 4)).toEqual([1, 3]);
  });

  it('does so, too, at a provider that has other keys at each fetch', async () => {
    let kid = 0;
    await using provider = await startJsonProvider((request, response) => {
      kid += 1;
      jwks(`${kid}`)(request, response);
    });
    const source = startSource();
    await source.has(provider.url, '1');
    expect(await fetchTimes(source, provider, 60)).toEqual([1, 3, 7, 15, 31]);
  });

  it('is no problem of the provider', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    expect(await startSource().problem(provider.url, 'b')).toBeNull();
  });
});

describe('a provider that fails', () => {
  const failures: [string, RequestListener, string][] = [
    ['closes connections', (_, response) => response.destroy(), 'ECONNRESET'],
    ['does not respond', () => undefined, 'No full response within 200ms.'],
    ['has no JSON', broken, 'The content type is not JSON.'],
    ['has another document', json({ error: 'later' }), 'The keys cannot be read: '],
    ['has no document', json(null), 'The keys cannot be read: '],
    ['has keys that cannot be read', json({ keys: [null] }), 'The keys cannot be read: '],
    ['leads to another place', redirect('http://169.254.169.254/'), 'is a link-local address'],
  ];

  it.each(failures)('gives no keys and says why when it %s', async (_, listener, reason) => {
    await using provider = await startJsonProvider(listener);
    const { keys, log } = startSource({ jwksTimeout: 200 });
    const found = await keys({ signerId: 'signer', url: `${provider.url}?key=secret` }, 'a');
    expect(found).toEqual({ keys: null, problem: expect.stringContaining(reason) });
    expect(found.problem).toMatch(/^http:\/\/[^ ?]+: /);
    expect(log.warn).toHaveBeenCalledExactlyOnceWith(
      { signerId: 'signer', problem: found.problem },
      expect.any(String),
    );
  });

  it.each(failures)('loses no keys for an hour when it %s', async (_, listener, reason) => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has, problem, wait } = startSource({ jwksTimeout: 200 });
    expect(await has(provider.url, 'a')).toBe(true);
    provider.serve(listener);
    for (let age = 10; age < 60; age += 10) {
      wait(10 * minute);
      expect(await has(provider.url, 'a'), `after ${age} minutes`).toBe(true);
    }
    expect(await problem(provider.url, 'a')).toContain(reason);
    wait(10 * minute - 1);
    expect(await has(provider.url, 'a')).toBe(true);
    wait(1);
    expect(await has(provider.url, 'a')).toBe(false);
    wait(minute);
    provider.serve(jwks('a'));
    expect(await has(provider.url, 'a')).toBe(true);
    expect(await problem(provider.url, 'a')).toBeNull();
  });

  it('is asked again after 1 s, then more and more seldom, and nobody waits in between', async () => {
    await using provider = await startJsonProvider(broken);
    const { has, wait, problem } = startSource();
    await has(provider.url, 'a');
    const times: number[] = [];
    for (let at = 1; at <= 100; at += 1) {
      wait(second);
      const before = provider.requests.length;
      expect(await has(provider.url, 'a')).toBe(false);
      if (provider.requests.length > before) times.push(at);
    }
    expect(times).toEqual([1, 3, 7, 15, 31, 61, 91]);
    expect(await problem(provider.url, 'a')).toContain('The content type is not JSON.');
  });

  it('is asked in the background when the keys are known', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has, wait } = startSource();
    await has(provider.url, 'a');
    provider.serve(broken);
    wait(10 * minute);
    expect(await has(provider.url, 'a')).toBe(true);
    const waiting: (() => void)[] = [];
    provider.serve((request, response) => {
      waiting.push(() => jwks('b')(request, response));
    });
    wait(second);
    expect(await has(provider.url, 'a')).toBe(true);
    await vi.waitFor(() => expect(waiting).toHaveLength(1));
    expect(await has(provider.url, 'a')).toBe(true);
    const unknown = has(provider.url, 'b');
    waiting[0]?.();
    expect(await unknown).toBe(true);
    expect(await has(provider.url, 'a')).toBe(false);
    expect(provider.requests).toHaveLength(3);
  });

  it('is waited for when its failure was long ago', async () => {
    await using provider = await startJsonProvider(jwks('a'));
    const { has, wait } = startSource();
    await has(provider.url, 'a');
    provider.serve(broken);
    wait(second);
    await has(provider.url, 'b');
    provider.serve(jwks('b'));
    wait(10 * minute);
    expect(await has(provider.url, 'a')).toBe(false);
  });

  it('delays no other signer', async () => {
    await using slow = await startJsonProvider(() => undefined);
    await using quick = await startJsonProvider(jwks('a'));
    const { has, retain } = startSource({ jwksTimeout: 30_000 });
    const stuck = Array.from({ length: 100 }, (_, index) => has(slow.url, 'a', `slow ${index % 20}`));
    expect(await has(quick.url, 'a', 'quick')).toBe(true);
    await vi.waitFor(() => expect(slow.requests).toHaveLength(20));
    retain([]);
    expect(await Promise.all(stuck)).not.toContain(true);
  });

  it('is logged when it begins to fail and when it works again', async () => {
    await using provider = await startJsonProvider(broken);
    const { has, wait, log } = startSource();
    for (let times = 0; times < 5; times += 1) {
      await has(provider.url, 'a');
      wait(30 * second);
    }
    expect(log.warn).toHaveBeenCalledTimes(1);
    provider.serve(jwks('a'));
    await has(provider.url, 'a');
    expect(log.info).toHaveBeenCalledExactlyOnceWith({ signerId: 'signer' }, expect.any(String));
  });
});
