import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Credentials } from '../core/call.ts';
import type { Settings } from '../core/config/schema.ts';
import { tokenHash } from '../core/secrets/ids.ts';
import { noRights } from '../credentials/rights/rights.ts';
import { createAuthQueries } from '../sign-in/authentication/queries/index.ts';
import { openSqliteSessionStore } from '../storage/session-store/sqlite/session-store.ts';
import type { Dependencies } from './dependencies.ts';
import type { Principal } from './load-principals.ts';
import { resolveSession } from './sessions.ts';

const dir = mkdtempSync(join(tmpdir(), 'sessions-'));
const sessions = await openSqliteSessionStore({ file: join(dir, 'sessions.db'), timeout: 60_000, clock: Date.now });
afterAll(async () => {
  await sessions.close();
  rmSync(dir, { recursive: true });
});

const allowed = { allowed: true };
const principal = {
  id: 'identity-1',
  ...noRights,
  mfaId: null,
  policy: {
    primary: { updb: allowed, cert: allowed, extJwt: allowed },
    secondary: { requireTotp: false, requireExtJwtSigner: 'signer-1' },
  },
} as unknown as Principal;

it('evaluates a session with the bearer tokens of each request, not with the session token alone', async () => {
  const token = 'a token of a session';
  await sessions.create({
    ...{ id: 'c1', tokenHash: tokenHash(token), sealedToken: '', identityId: principal.id, authenticatorId: 'a1' },
    credentialVersion: 0,
    ...{
      method: 'password',
      ipAddress: '127.0.0.1',
      configTypes: [],
      createdAt: 0,
      updatedAt: 0,
      mfaId: null,
      mfaPassedAt: null,
      usesRouters: false,
      tokenReadBy: null,
      endsAt: null,
    },
    ...{ isMfaRequired: false, isMfaComplete: false },
    ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
    improperClientCertChain: false,
  });
  const verified: (readonly string[])[] = [];
  const dependencies = {
    sessions,
    authQueries: createAuthQueries({ adminRequireSecondFactor: false } as Settings),
    principals: { known: () => principal, get: async () => principal, endOf: () => null },
    externalJwts: {
      async answerQuery(tokens: readonly string[], { signerId }: { signerId: string }) {
        verified.push(tokens);
        const isAnswered = signerId === 'signer-1' && tokens.includes('a token of signer-1');
        return { signer: null, error: isAnswered ? null : 'missing' };
      },
    },
  } as unknown as Dependencies;
  const queries = async (credentials: Partial<Credentials>) => {
    const given = { sessionToken: token, bearerTokens: [], certificates: [], sentCertificates: [], ...credentials };
    return (
      (await resolveSession(given, dependencies, 'touch'))?.state.authQueries.map((query) => [
        query.typeId,
        'id' in query && query.id,
      ]) ?? null
    );
  };
  const outstanding = [['EXT-JWT', 'signer-1']];
  expect(await queries({})).toEqual(outstanding);
  expect(await queries({ bearerTokens: ['another token', 'a token of signer-1'] })).toEqual([]);
  expect(await queries({ bearerTokens: ['another token'] })).toEqual(outstanding);
  expect(await queries({})).toEqual(outstanding);
  expect(await queries({ sessionToken: null, bearerTokens: ['a token of signer-1'] })).toBeNull();
  expect(await queries({ sessionToken: 'unknown', bearerTokens: ['a token of signer-1'] })).toBeNull();
  expect(verified).toEqual([[], ['another token', 'a token of signer-1'], ['another token'], []]);
});
