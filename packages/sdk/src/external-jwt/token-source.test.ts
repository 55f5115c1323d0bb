import { expect, test } from 'vitest';
import { unsignedJwt } from '../../test/support/unsigned-jwt.ts';
import type { TokenRequest } from '../api/get-token.ts';
import { TokenSource } from './token-source.ts';

const minute = 60_000;
const never = new AbortController().signal;

/** A source over a provider that issues JWTs of ten minutes: `jwt-1`, `jwt-2`, … */
function setUp(lifetime = 10 * minute) {
  const state = { now: 1_000_000_000_000, reasons: [] as string[], fails: false };
  const source = new TokenSource(
    async ({ reason }) => {
      state.reasons.push(reason);
      if (state.fails) throw new Error('the provider is away');
      return unsignedJwt(`jwt-${state.reasons.length}`, state.now + lifetime);
    },
    () => state.now,
  );
  const name = async () => JSON.parse(atob((await source.get(never))?.split('.')[1] ?? '')).sub;
  return { state, source, name };
}

test('many calls at once ask once, and a JWT is used again until shortly before it expires', async () => {
  const { state, name } = setUp();
  expect(new Set(await Promise.all(Array.from({ length: 50 }, name)))).toEqual(new Set(['jwt-1']));
  state.now += 9 * minute + 20_000;
  expect(await name()).toBe('jwt-1');
  state.now += 20_000;
  expect(await Promise.all([name(), name()])).toEqual(['jwt-2', 'jwt-2']);
  expect(state.reasons).toEqual(['needed', 'expired']);
});

test('a JWT of a short lifetime is replaced after nine tenths of it', async () => {
  const { state, name } = setUp(minute);
  await name();
  state.now += 53_000;
  expect(await name()).toBe('jwt-1');
  state.now += 2_000;
  expect(await name()).toBe('jwt-2');
});

test('a JWT that looks expired by the local clock is used until it is refused', async () => {
  const { state, source, name } = setUp(-60 * minute);
  await name();
  state.now += minute;
  expect(await name()).toBe('jwt-1');
  source.reject(source.kept() ?? '', 'refused');
  expect(await name()).toBe('jwt-2');
  expect(state.reasons).toEqual(['needed', 'expired']);
});

test('a rejected JWT is replaced, but not because of a late rejection of an older one', async () => {
  const { state, source, name } = setUp();
  await name();
  const first = source.kept() ?? '';
  source.reject(first, 'refused');
  expect(source.isRejected()).toBe(true);
  expect(await name()).toBe('jwt-2');
  source.reject(first, 'refused');
  expect([source.isRejected(), await name(), state.reasons]).toEqual([false, 'jwt-2', ['needed', 'refused']]);
});

test('a provider that fails does not cost a JWT that still works', async () => {
  const { state, name, source } = setUp();
  await name();
  state.fails = true;
  state.now += 9 * minute + 45_000;
  expect(await name()).toBe('jwt-1');
  state.now += 15_000;
  await expect(source.get(never)).rejects.toThrow('the provider is away');
  state.fails = false;
  expect(await name()).toBe('jwt-4');
});

test('a rejected JWT is not used when the provider fails', async () => {
  const { state, name, source } = setUp();
  await name();
  state.fails = true;
  source.reject(source.kept() ?? '', 'refused');
  await expect(source.get(never)).rejects.toThrow('the provider is away');
});

test.each(['', 'opaque', 'a.b', 'a.b.c.d.e', 'a b.c.d', 'a.b.c, Bearer d.e.f', 'ä.b.c'])(
  'what is no JWT is refused or counts as none, and is never in the error: %j',
  async (text) => {
    const source = new TokenSource(() => text, Date.now);
    if (text === '') return expect(await source.get(never)).toBeNull();
    const error = await source.get(never).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'EdgeTokenError', code: 'NOT_A_JWT' });
    expect(String(error)).not.toContain(text);
    expect(source.kept()).toBeNull();
  },
);

test('while there is no JWT each call asks, and a JWT without claims is used until it is refused', async () => {
  const answers = [null, null, 'not.claims.here'];
  const source = new TokenSource(() => answers.shift() ?? null, Date.now);
  expect([await source.get(never), await source.get(never)]).toEqual([null, null]);
  expect([await source.get(never), await source.get(never)]).toEqual(['not.claims.here', 'not.claims.here']);
});

test('the question is aborted when the last call that waits for it is, and the next call asks again', async () => {
  const requests: TokenRequest[] = [];
  const source = new TokenSource((request) => {
    requests.push(request);
    return requests.length === 1 ? new Promise<string>(() => {}) : unsignedJwt('second');
  }, Date.now);
  const [first, second] = [new AbortController(), new AbortController()];
  const waiting = [source.get(first.signal), source.get(second.signal)].map((one) => one.catch(String));
  await expect.poll(() => requests.length).toBe(1);
  first.abort(new Error('first left'));
  expect([await waiting[0], requests[0]?.signal.aborted]).toEqual(['Error: first left', false]);
  second.abort(new Error('second left'));
  expect([await waiting[1], requests[0]?.signal.aborted]).toEqual(['Error: second left', true]);
  expect(await source.get(never)).toBe(unsignedJwt('second'));
});

test('a JWT that arrives after forget is not kept', async () => {
  let arrive: (jwt: string) => void = () => {};
  const source = new TokenSource(() => new Promise<string>((resolve) => (arrive = resolve)), Date.now);
  const late = source.get(never);
  await new Promise((resolve) => setImmediate(resolve));
  source.forget();
  arrive(unsignedJwt('late'));
  expect([await late, source.kept()]).toEqual([null, null]);
});
