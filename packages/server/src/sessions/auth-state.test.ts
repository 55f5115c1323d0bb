import { describe, expect, it } from 'vitest';
import type { Settings } from '../core/config/schema.ts';
import type { SecondaryJwt } from '../credentials/external-jwt/secondary-jwt.ts';
import type { TrustedSigner } from '../credentials/external-jwt/trusted-signers.ts';
import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import { createAuthQueries } from '../sign-in/authentication/queries/index.ts';
import type { AuthFacts } from './auth-state.ts';
import { authState as foldAuthState } from './auth-state.ts';

const authStateWith = (facts: AuthFacts, settings: Partial<Settings>) =>
  foldAuthState(facts, createAuthQueries(settings as Settings));
const authState = (facts: AuthFacts) => authStateWith(facts, {});

const methods = ['password', 'cert', 'ext-jwt'] as const;
const signer = 'signer-1';
const enrolledMfa = 'mfa-of-now';

type Method = (typeof methods)[number];

interface Situation {
  readonly method: Method;
  readonly isMethodAllowed: boolean;
  readonly requireTotp: boolean;
  readonly requireSigner: boolean;
  readonly isEnrolled: boolean;
  readonly provenMfaId: string | null;
  readonly bringsSignerToken: boolean;
}

/** A policy that allows all three primary methods, or all but one. */
function policy({ except, requireTotp = false, requireSigner = false }: PolicyShape = {}): AuthPolicy {
  return {
    primary: {
      cert: { allowed: except !== 'cert', allowExpiredCerts: false },
      extJwt: { allowed: except !== 'ext-jwt', allowedSigners: [] },
      updb: {
        allowed: except !== 'password',
        minPasswordLength: 8,
        requireSpecialChar: false,
        requireNumberChar: false,
        requireMixedCase: false,
        maxAttempts: 0,
        lockoutDurationMinutes: 0,
      },
    },
    secondary: { requireTotp, ...(requireSigner ? { requireExtJwtSigner: signer } : {}) },
  };
}

interface PolicyShape {
  readonly except?: Method;
  readonly requireTotp?: boolean;
  readonly requireSigner?: boolean;
}

function stateOf(situation: Situation) {
  const { method, isMethodAllowed, requireTotp, requireSigner, isEnrolled, provenMfaId, bringsSignerToken } = situation;
  return authState({
    method,
    authenticatorId: 'authenticator-1',
    isPasswordOfOther: true,
    policy: policy({ ...(isMethodAllowed ? {} : { except: method }), requireTotp, requireSigner }),
    hasRights: true,
    mfaId: isEnrolled ? enrolledMfa : null,
    provenMfaId,
    signerId: method === 'ext-jwt' ? 'signer-2' : null,
    secondaryJwt: requireSigner ? { signer: null, error: bringsSignerToken ? null : 'missing' } : null,
  });
}

/** Whether a second factor is not required, outstanding or proven. */
type Factor = 'not required' | 'outstanding' | 'proven';

/**
 * When the policy requires a TOTP, the session is partial until the query is answered. An enrolled TOTP is always required. Only a code of the TOTP that is enrolled now answers the query. A code of a removed
 * TOTP does not.
 *
 * `[policy requires TOTP, enrolled, proven by the session] → factor`
 */
const totpTable: readonly [boolean, boolean, 'nothing' | 'this' | 'an older one', Factor][] = [
  [false, false, 'nothing', 'not required'],
  [false, false, 'this', 'not required'],
  [false, false, 'an older one', 'not required'],
  [false, true, 'nothing', 'outstanding'],
  [false, true, 'this', 'proven'],
  [false, true, 'an older one', 'outstanding'],
  [true, false, 'nothing', 'outstanding'],
  [true, false, 'this', 'outstanding'],
  [true, false, 'an older one', 'outstanding'],
  [true, true, 'nothing', 'outstanding'],
  [true, true, 'this', 'proven'],
  [true, true, 'an older one', 'outstanding'],
];

/** Secondary JWT (5.3): every request must have a valid one. `[policy names a signer, this request has its token] → factor` */
const signerTable: readonly [boolean, boolean, Factor][] = [
  [false, false, 'not required'],
  [false, true, 'not required'],
  [true, false, 'outstanding'],
  [true, true, 'proven'],
];

/** `[TOTP, JWT] → [type ids of the queries, isMfaRequired, isMfaComplete]` */
const expectedStates: Readonly<
  Record<Factor, Readonly<Record<Factor, readonly [readonly string[], boolean, boolean]>>>
> = {
  'not required': {
    'not required': [[], false, false],
    outstanding: [['EXT-JWT'], true, false],
    proven: [[], true, true],
  },
  outstanding: {
    'not required': [['MFA'], true, false],
    outstanding: [['MFA', 'EXT-JWT'], true, false],
    proven: [['MFA'], true, false],
  },
  proven: {
    'not required': [[], true, true],
    outstanding: [['EXT-JWT'], true, false],
    proven: [[], true, true],
  },
};

const provenIds = { nothing: null, this: enrolledMfa, 'an older one': 'mfa-removed-since' } as const;

const rows = methods.flatMap((method) =>
  [true, false].flatMap((isMethodAllowed) =>
    totpTable.flatMap(([requireTotp, isEnrolled, proven, totp]) =>
      signerTable.map(([requireSigner, bringsSignerToken, jwt]) => ({
        situation: {
          method,
          isMethodAllowed,
          requireTotp,
          requireSigner,
          isEnrolled,
          provenMfaId: provenIds[proven],
          bringsSignerToken,
        },
        expected: expectedStates[totp][jwt],
      })),
    ),
  ),
);

describe('authState', () => {
  it('covers every combination once', () => {
    expect(rows).toHaveLength(3 * 2 * 2 * 2 * 2 * 3 * 2);
    expect(new Set(rows.map(({ situation }) => JSON.stringify(situation))).size).toBe(rows.length);
  });

  it.each(rows)('$situation', ({ situation, expected }) => {
    const state = stateOf(situation);
    expect([state.authQueries.map(({ typeId }) => typeId), state.isMfaRequired, state.isMfaComplete]).toEqual(expected);
    expect(state.isAllowed).toBe(situation.isMethodAllowed);
  });

  const facts: AuthFacts = {
    method: 'password',
    authenticatorId: 'authenticator-1',
    isPasswordOfOther: false,
    policy: policy(),
    hasRights: false,
    mfaId: null,
    provenMfaId: null,
    signerId: null,
    secondaryJwt: null,
  };

  it('is full without a second factor, and no second factor is required', () => {
    expect(authState(facts)).toEqual({
      ...{ isAllowed: true, authQueries: [], isMfaRequired: false, isMfaComplete: false, secondaryJwt: null },
    });
  });

  it('asks for a TOTP code with the members of the wire', () => {
    expect(authState({ ...facts, mfaId: enrolledMfa }).authQueries).toEqual([
      {
        typeId: 'MFA',
        provider: 'ziti',
        format: 'alphaNumeric',
        minLength: 4,
        maxLength: 6,
        httpMethod: 'POST',
        httpUrl: './authenticate/mfa',
        scopes: null,
        isTotpEnrolled: true,
      },
    ]);
  });

  it.each([
    ['one with rights', { hasRights: true }, ['MFA']],
    ['one without rights', {}, []],
    ['one with rights whose policy asks for TOTP', { hasRights: true, policy: policy({ requireTotp: true }) }, ['MFA']],
    [
      'one with rights whose policy asks for a JWT',
      { hasRights: true, policy: policy({ requireSigner: true }) },
      ['EXT-JWT'],
    ],
    ['one with rights that has proven a TOTP', { hasRights: true, mfaId: enrolledMfa, provenMfaId: enrolledMfa }, []],
  ])('asks identities with rights for one second factor, where the setting does: %s', (_, members, queries) => {
    const state = authStateWith({ ...facts, ...members }, { adminRequireSecondFactor: true });
    expect(state.authQueries.map(({ typeId }) => typeId)).toEqual(queries);
  });

  it('asks for a new password last, only for one that somebody else has set, only after a sign-in with it, where the setting does', () => {
    const settings = { changeInitialPasswords: true };
    const initial = { ...facts, isPasswordOfOther: true };
    const query = {
      typeId: 'NEW-PASSWORD',
      provider: 'ziti',
      id: 'authenticator-1',
      minLength: 8,
      maxLength: 100,
      httpMethod: 'PATCH',
      httpUrl: './current-identity/authenticators/authenticator-1',
      scopes: null,
    };
    const asked = authStateWith(initial, settings);
    expect(asked).toMatchObject({ authQueries: [query], isMfaRequired: false, isMfaComplete: false });
    const proven = { ...initial, mfaId: enrolledMfa, provenMfaId: enrolledMfa };
    expect(authStateWith(proven, settings)).toMatchObject({ authQueries: [query], isMfaComplete: true });
    const all = { ...initial, policy: policy({ requireTotp: true, requireSigner: true }) };
    const { authQueries } = authStateWith(all, settings);
    expect(authQueries.map(({ typeId }) => typeId)).toEqual(['MFA', 'EXT-JWT', 'NEW-PASSWORD']);
    for (const others of [facts, { ...initial, method: 'cert' as const }, { ...initial, method: 'ext-jwt' as const }]) {
      expect(authStateWith(others, settings).authQueries).toEqual([]);
    }
    expect(authState(initial).authQueries).toEqual([]);
  });

  it('asks for the JWT of the signer that the policy names', () => {
    expect(authState({ ...facts, policy: policy({ requireSigner: true }) }).authQueries).toEqual([
      { typeId: 'EXT-JWT', provider: 'url', id: signer, scopes: null },
    ]);
  });

  it('asks for TOTP before the JWT', () => {
    const both = authState({ ...facts, policy: policy({ requireTotp: true, requireSigner: true }) });
    expect(both.authQueries.map(({ typeId }) => typeId)).toEqual(['MFA', 'EXT-JWT']);
  });

  it('shows where to get the JWT, as far as the signer says it', () => {
    const signedBy = (members: object): SecondaryJwt => ({ signer: { ...noSigner, ...members }, error: 'expired' });
    const noSigner = { externalAuthUrl: null, clientId: null, scopes: null } as TrustedSigner;
    const asked = { ...facts, policy: policy({ requireSigner: true }) };
    const query = { typeId: 'EXT-JWT', provider: 'url', id: signer };
    expect(authState({ ...asked, secondaryJwt: signedBy({}) }).authQueries).toEqual([{ ...query, scopes: null }]);
    const login = { externalAuthUrl: 'https://login.example', clientId: 'app', scopes: ['openid'] };
    expect(authState({ ...asked, secondaryJwt: signedBy(login) }).authQueries).toEqual([
      { ...query, httpUrl: 'https://login.example', clientId: 'app', scopes: ['openid'] },
    ]);
  });

  it('allows a session only while the policy allows the signer that opened it', () => {
    const isAllowed = (signerId: string | null, allowedSigners: string[]) => {
      const { primary, secondary } = policy();
      const extJwt = { allowed: true, allowedSigners };
      return authState({
        ...facts,
        method: 'ext-jwt',
        signerId,
        policy: { primary: { ...primary, extJwt }, secondary },
      }).isAllowed;
    };
    expect(isAllowed(signer, [])).toBe(true);
    expect(isAllowed(signer, ['signer-2', signer])).toBe(true);
    expect(isAllowed(signer, ['signer-2'])).toBe(false);
    expect(isAllowed(null, ['signer-2'])).toBe(false);
  });

  it('goes from full to partial when TOTP is removed under a policy that requires it', () => {
    const proven = { ...facts, policy: policy({ requireTotp: true }), mfaId: enrolledMfa, provenMfaId: enrolledMfa };
    expect(authState(proven)).toMatchObject({ authQueries: [], isMfaComplete: true });
    const removed = authState({ ...proven, mfaId: null });
    expect(removed.authQueries).toHaveLength(1);
    expect(removed).toMatchObject({ isMfaRequired: true, isMfaComplete: false });
  });

  it('checks only the method of the session', () => {
    const allowed = (method: Method, except: Method) => authState({ ...facts, method, policy: policy({ except }) });
    for (const method of methods) {
      expect(methods.filter((except) => !allowed(method, except).isAllowed)).toEqual([method]);
    }
  });

  it('returns a new state at every call', () => {
    const first = authState({ ...facts, mfaId: enrolledMfa });
    const second = authState({ ...facts, mfaId: enrolledMfa });
    expect(first.authQueries).not.toBe(second.authQueries);
    expect(first).toEqual(second);
  });
});
