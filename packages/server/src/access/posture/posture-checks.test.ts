import type { PostureResponseCreate, SdkInfo } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { checkKinds } from './checks/index.ts';
import type { PostureCheck, PostureFacts } from './posture-check.ts';
import { readPostureData, withResponses } from './posture-data.ts';
import { shownTimeout } from './shown-timeout.ts';

const now = 1_800_000_000_000;
const minute = 60_000;

function factsAfter(responses: readonly PostureResponseCreate[], changes: Partial<PostureFacts> = {}): PostureFacts {
  const data = withResponses(readPostureData(null), responses, { now, mfaPassedAt: null });
  return { data, mfaPassedAt: null, now, ...changes };
}

const check = (members: Partial<PostureCheck>) => ({ id: 'check', ...members }) as PostureCheck;
const passes = (of: PostureCheck, facts: PostureFacts) => checkKinds[of.typeId].evaluate(of, facts).isPassing;

describe('a check of the operating system', () => {
  const os = (type: string, version: string) => factsAfter([{ id: 'x', typeId: 'OS', type, version }]);
  const wants = (...versions: string[]) =>
    check({ typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: versions.length === 0 ? null : versions }] });

  it.each([
    [wants(), 'linux', 'nonsense', true],
    [wants(), 'Windows', '1.0.0', false],
    [wants('>=5.0.0 <6.0.0'), 'LINUX', '5.15.0', true],
    [wants('>=5.0.0 <6.0.0'), 'Linux', '6.0.0', false],
    [wants('1.2.3', '>=6'), 'Linux', '6.1.0', true],
    [wants('>=5'), 'Linux', '5.15', false],
    [wants('>=5'), 'Linux', 'v5.15.0', false],
    [wants('>=5'), 'Linux', '5.15.0-91-generic', true],
  ])('%# is decided by type and version', (of, type, version, expected) => {
    expect(passes(of, os(type, version))).toBe(expected);
  });

  it('does not pass while nothing is known', () => {
    expect(passes(wants(), factsAfter([]))).toBe(false);
  });
});

it('a check of domains and addresses compares without case and separators', () => {
  const domains = check({ typeId: 'DOMAIN', domains: ['Example.ORG', 'b'] });
  const inDomain = (domain: string) => passes(domains, factsAfter([{ id: 'x', typeId: 'DOMAIN', domain }]));
  expect(['example.org', 'B', 'c', ''].map(inDomain)).toEqual([true, true, false, false]);
  const addresses = check({ typeId: 'MAC', macAddresses: ['0a1b2c3d4e5f'] });
  const has = (...macAddresses: string[]) => passes(addresses, factsAfter([{ id: 'x', typeId: 'MAC', macAddresses }]));
  expect(has('00:00:00:00:00:00', '0A:1B:2c-3d.4e5f')).toBe(true);
  expect(has('0A:1B:2c:3d:4e')).toBe(false);
  expect(has()).toBe(false);
});

describe('a check of programs', () => {
  const program = { osType: 'Linux', path: '/bin/a' } as const;
  const runs = { id: 'check', typeId: 'PROCESS', path: '/bin/a', isRunning: true } as const;

  it('wants the program to run, with one of the hashes and the signer', () => {
    const plain = check({ typeId: 'PROCESS', process: { ...program, hashes: [] } });
    const strict = check({
      ...{ typeId: 'PROCESS', process: { ...program, hashes: ['aa', 'bb'], signerFingerprint: 'cc' } },
    });
    const right = { ...runs, hash: 'BB', signerFingerprints: ['dd', 'CC'] };
    expect(passes(plain, factsAfter([runs]))).toBe(true);
    expect(passes(plain, factsAfter([{ ...runs, isRunning: false }]))).toBe(false);
    expect(passes(plain, factsAfter([{ ...runs, id: 'another check' }]))).toBe(false);
    expect(passes(plain, factsAfter([runs, { ...runs, isRunning: false }]))).toBe(false);
    expect(passes(strict, factsAfter([right]))).toBe(true);
    for (const wrong of [runs, { ...right, hash: 'cc' }, { ...right, signerFingerprints: ['dd'] }]) {
      expect(passes(strict, factsAfter([wrong]))).toBe(false);
    }
  });

  it('wants all of several programs, or one of them, whichever check asked for their paths', () => {
    const processes = [
      { ...program, hashes: [], signerFingerprints: [] },
      { osType: 'Linux' as const, path: '/bin/b', hashes: ['bb'], signerFingerprints: ['cc', 'dd'] },
    ];
    const all = check({ typeId: 'PROCESS_MULTI', semantic: 'AllOf', processes });
    const any = check({ typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes });
    const second = { ...runs, id: 'x', path: '/bin/b', hash: 'bb', signerFingerprints: ['DD'] };
    const verdicts = (...responses: PostureResponseCreate[]) =>
      [all, any].map((of) => passes(of, factsAfter(responses)));
    expect(verdicts()).toEqual([false, false]);
    expect(verdicts(runs)).toEqual([false, true]);
    expect(verdicts(runs, second)).toEqual([true, true]);
    expect(verdicts({ ...runs, isRunning: false }, second)).toEqual([false, true]);
    expect(verdicts({ ...second, hash: 'aa' })).toEqual([false, false]);
    expect(verdicts({ ...runs, path: '/BIN/A' })).toEqual([false, false]);
  });
});

describe('an MFA check', () => {
  const mfa = (members: Partial<PostureCheck> = {}) => check({ typeId: 'MFA', timeoutSeconds: -1, ...members });
  /** Whether it passes, the seconds that remain, and when it ends, this long after now. */
  const shown = (of: PostureCheck, facts: PostureFacts) => {
    const outcome = checkKinds.MFA.evaluate(of, facts);
    const { timeoutRemaining } = shownTimeout(of, outcome, facts.now);
    return [outcome.isPassing, timeoutRemaining, outcome.endsAt === null ? null : outcome.endsAt - now];
  };
  const woken = { id: 'x', typeId: 'ENDPOINT_STATE', woken: true } as const;
  const unlocked = { id: 'x', typeId: 'ENDPOINT_STATE', unlocked: true } as const;

  it('passes from a right code until its timeout', () => {
    const of = mfa({ timeoutSeconds: 600 });
    const passedAgo = (milliseconds: number) => shown(of, factsAfter([], { mfaPassedAt: now - milliseconds }));
    expect(shown(of, factsAfter([]))).toEqual([false, 0, null]);
    expect(passedAgo(0)).toEqual([true, 600, 600_000]);
    expect(passedAgo(599_001)).toEqual([true, 1, 999]);
    expect(passedAgo(599_999)).toEqual([true, 1, 1]);
    expect(passedAgo(600_000)).toEqual([false, 0, 0]);
    expect(shown(mfa(), factsAfter([], { mfaPassedAt: 1 }))).toEqual([true, -1, null]);
  });

  it.each([
    ['waking', mfa({ promptOnWake: true, timeoutSeconds: 600 }), woken, unlocked],
    ['unlocking', mfa({ promptOnUnlock: true, timeoutSeconds: 600 }), unlocked, woken],
  ])('needs another code five minutes after %s, unless one was sent since', (_, of, event, other) => {
    const at = (later: number, passedAt: number, responses: readonly PostureResponseCreate[]) =>
      shown(of, { ...factsAfter(responses), mfaPassedAt: passedAt, now: now + later });
    expect(at(0, now - minute, [event])).toEqual([true, 300, 5 * minute]);
    expect(at(5 * minute - 1, now - minute, [event])).toEqual([true, 1, 5 * minute]);
    expect(at(5 * minute, now - minute, [event])).toEqual([false, 0, 5 * minute]);
    expect(at(5 * minute, now + 1, [event])).toEqual([true, 301, 600_001]);
    // The timeout is sooner.
    expect(at(0, now - 6 * minute, [event])).toEqual([true, 240, 4 * minute]);
    expect(at(0, now - minute, [other])).toEqual([true, 540, 9 * minute]);
  });

  it('gives no more time when the device wakes again before a code was sent', () => {
    const of = mfa({ promptOnWake: true });
    const passedAt = now - minute;
    const first = withResponses(readPostureData(null), [woken], { now, mfaPassedAt: passedAt });
    const again = withResponses(first, [woken], { now: now + 4 * minute, mfaPassedAt: passedAt });
    expect(shown(of, { data: again, mfaPassedAt: passedAt, now: now + 4 * minute })).toEqual([true, 60, 5 * minute]);
    const answered = withResponses(first, [woken], { now: now + 4 * minute, mfaPassedAt: now + minute });
    expect(shown(of, { data: answered, mfaPassedAt: now + minute, now: now + 4 * minute })).toEqual([
      ...[true, 300, 9 * minute],
    ]);
  });

  it.each<[SdkInfo, boolean]>([
    [{ type: 'ziti-sdk-c', version: '0.24.9' }, true],
    [{ type: 'ziti-sdk-c', version: '0.25.0' }, false],
    [{ type: 'ziti-sdk-c', version: 'x' }, false],
    [{ type: 'ziti-sdk-golang', version: '0.1.0' }, false],
  ])('may ask clients that cannot ask their users only once: %o', (sdkInfo, isSpared) => {
    const facts = factsAfter([], { mfaPassedAt: now - minute });
    const of = { ...facts, data: { ...facts.data, sdkInfo } };
    expect(passes(mfa({ timeoutSeconds: 1, ignoreLegacyEndpoints: true }), of)).toBe(isSpared);
    expect(passes(mfa({ timeoutSeconds: 1 }), of)).toBe(false);
  });

  it('says what was missing', () => {
    const facts = { ...factsAfter([woken]), mfaPassedAt: now - minute, now: now + 5 * minute };
    const { actualValue, criteria } = checkKinds.MFA.failure(mfa({ promptOnWake: true, timeoutSeconds: 600 }), facts);
    expect(actualValue).toEqual({ passedMfa: true, passedOnWake: false, passedOnUnlock: true, timedOut: true });
    expect(criteria).toMatchObject({ wokenAt: '2027-01-15T08:00:00.000Z', unlockedAt: '0001-01-01T00:00:00.000Z' });
  });
});
