import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ServerKey } from './server-jwt.ts';
import { SessionKeys } from './session-keys.ts';

const newKey = (kid: string): ServerKey => ({
  kid,
  key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
});
const spkiOf = ({ key }: ServerKey) => createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');

let [first, second, third] = [newKey('1'), newKey('2'), newKey('3')];
let server = first;
let keys: SessionKeys;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  [first, second, third] = [newKey('1'), newKey('2'), newKey('3')];
  server = first;
  keys = new SessionKeys(() => server);
});
afterEach(() => vi.useRealTimers());

const state = () => [keys.current().kid, keys.all().map(({ kid }) => kid)];

it('signs with the key of the server certificate, which routers get as it is', () => {
  expect(keys.current()).toBe(first);
  expect(keys.all()).toEqual([{ kid: '1', spki: spkiOf(first) }]);
});

it('announces a new key for 5 seconds before it signs with it, and the old one stays', () => {
  server = second;
  expect(state()).toEqual(['1', ['1', '2']]);
  vi.advanceTimersByTime(4_999);
  expect(state()).toEqual(['1', ['1', '2']]);
  vi.advanceTimersByTime(1);
  expect(state()).toEqual(['2', ['1', '2']]);
});

it('announces it from when it is first asked', () => {
  server = second;
  vi.advanceTimersByTime(60_000);
  expect(state()).toEqual(['1', ['1', '2']]);
  vi.advanceTimersByTime(5_000);
  expect(keys.current().kid).toBe('2');
});

it('takes the last of several', () => {
  server = second;
  expect(keys.current().kid).toBe('1');
  vi.advanceTimersByTime(3_000);
  server = third;
  expect(state()).toEqual(['1', ['1', '2', '3']]);
  vi.advanceTimersByTime(3_000);
  expect(keys.current().kid).toBe('1');
  vi.advanceTimersByTime(2_000);
  expect(state()).toEqual(['3', ['1', '2', '3']]);
});
