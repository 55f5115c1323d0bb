import { describe, expect, it } from 'vitest';
import { authQueries } from '../authentication/queries/index.ts';
import type { AuthPolicy } from '../entities/auth-policy.ts';
import type { AuthFacts } from './auth-state.ts';
import { authState as foldAuthState } from './auth-state.ts';

const authState = (facts: AuthFacts) => foldAuthState(facts, authQueries);

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
    policy: policy({ ...(isMethodAllowed ? {} : { except: method }), requireTotp, requireSigner }),
    mfaId: isEnrolled ? enrolledMfa : null,
    provenMfaId,
    provenSigners: new Set(bringsSignerToken ? [signer] : []),
  });
}

/** Whether a secondary factor is not asked for, still open, or answered. */
type Factor = 'not asked' | 'open' | 'answered';

/**
 * TOTP, written down from the specification: a policy that requires it keeps the session partial until the query is
 * answered (3.1), TOTP that is enrolled is asked for whatever the policy says, and only a code of the TOTP that is
 * enrolled now answers: that of one removed meanwhile is worth nothing.
 *
 * `[policy requires TOTP, enrolled, proven by the session] → factor`
 */
const totpTable: readonly [boolean, boolean, 'nothing' | 'this' | 'an older one', Factor][] = [
  [false, false, 'nothing', 'not asked'],
  [false, false, 'this', 'not asked'],
  [false, false, 'an older one', 'not asked'],
  [false, true, 'nothing', 'open'],
  [false, true, 'this', 'answered'],
  [false, true, 'an older one', 'open'],
  [true, false, 'nothing', 'open'],
  [true, false, 'this', 'open'],
  [true, false, 'an older one', 'open'],
  [true, true, 'nothing', 'open'],
  [true, true, 'this', 'answered'],
  [true, true, 'an older one', 'open'],
];

/** Secondary JWT (5.3): a valid one on every request. `[policy names a signer, this request has its token] → factor` */
const signerTable: readonly [boolean, boolean, Factor][] = [
  [false, false, 'not asked'],
  [false, true, 'not asked'],
  [true, false, 'open'],
  [true, true, 'answered'],
];

/** `[TOTP, JWT] → [type ids of the queries, isMfaRequired, isMfaComplete]` (specification 2.2, 3.1) */
const answers: Readonly<Record<Factor, Readonly<Record<Factor, readonly [readonly string[], boolean, boolean]>>>> = {
  'not asked': {
    'not asked': [[], false, false],
    open: [['EXT-JWT'], true, false],
    answered: [[], true, true],
  },
  open: {
    'not asked': [['MFA'], true, false],
    open: [['MFA', 'EXT-JWT'], true, false],
    answered: [['MFA'], true, false],
  },
  answered: {
    'not asked': [[], true, true],
    open: [['EXT-JWT'], true, false],
    answered: [[], true, true],
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
        expected: answers[totp][jwt],
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
    policy: policy(),
    mfaId: null,
    provenMfaId: null,
    provenSigners: new Set(),
  };

  it('is full without a secondary factor, and says that none is required', () => {
    expect(authState(facts)).toEqual({ isAllowed: true, authQueries: [], isMfaRequired: false, isMfaComplete: false });
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
      },
    ]);
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

  it('takes a JWT of the named signer only', () => {
    const asked = { ...facts, policy: policy({ requireSigner: true }) };
    const typeIds = (provenSigners: ReadonlySet<string>) =>
      authState({ ...asked, provenSigners }).authQueries.map(({ typeId }) => typeId);
    expect(typeIds(new Set(['signer-2']))).toEqual(['EXT-JWT']);
    expect(typeIds(new Set(['signer-2', signer]))).toEqual([]);
  });

  it('goes from full to partial when TOTP is removed under a policy that requires it', () => {
    const proven = { ...facts, policy: policy({ requireTotp: true }), mfaId: enrolledMfa, provenMfaId: enrolledMfa };
    expect(authState(proven)).toMatchObject({ authQueries: [], isMfaComplete: true });
    const removed = authState({ ...proven, mfaId: null });
    expect(removed.authQueries).toHaveLength(1);
    expect(removed).toMatchObject({ isMfaRequired: true, isMfaComplete: false });
  });

  it('minds the method of the session, not the others', () => {
    const allowed = (method: Method, except: Method) => authState({ ...facts, method, policy: policy({ except }) });
    for (const method of methods) {
      expect(methods.filter((except) => !allowed(method, except).isAllowed)).toEqual([method]);
    }
  });

  it('gives no state that the next question can change', () => {
    const first = authState({ ...facts, mfaId: enrolledMfa });
    const second = authState({ ...facts, mfaId: enrolledMfa });
    expect(first.authQueries).not.toBe(second.authQueries);
    expect(first).toEqual(second);
  });
});
