import { describe, expect, it } from 'vitest';
import type { ApiSessionRecord } from '../session-store/session-store.ts';
import { issuerOf, isUnchanged } from './session-issuer.ts';

const session = { caId: null, caVersion: 0, signerId: null, signerVersion: 0 } as ApiSessionRecord;

describe('the issuer of what an API session was opened with', () => {
  it('is its CA or its signer', () => {
    expect(issuerOf({ ...session, caId: 'c', caVersion: 2 })).toEqual({ kind: 'ca', id: 'c', version: 2 });
    expect(issuerOf({ ...session, signerId: 's', signerVersion: 3 })).toEqual({ kind: 'signer', id: 's', version: 3 });
  });

  it('is nobody for a password, nor for a record of an older version', () => {
    expect(issuerOf(session)).toBeNull();
    expect(issuerOf({} as ApiSessionRecord)).toBeNull();
  });

  it('is unchanged only with the version of the sign-in', () => {
    const issuer = { kind: 'signer', id: 's', version: 3 } as const;
    const versions = [{ authVersion: 3 }, { authVersion: 4 }, { authVersion: 2 }, undefined];
    expect(versions.map((now) => isUnchanged(issuer, now))).toEqual([true, false, false, false]);
  });
});
