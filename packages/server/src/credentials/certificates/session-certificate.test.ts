import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCertificate } from '@edge-controller/certificate-path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createClientChain } from '../../../test/support/client-chain.ts';
import { sessionId } from '../../core/secrets/ids.ts';
import type { LiveApiSession } from '../../storage/session-store/session-store.ts';
import { openSqliteSessionStore } from '../../storage/session-store/sqlite/session-store.ts';
import {
  addSessionCertificate,
  replaceSessionCertificate,
  sessionCertificateOf,
  signInCertificateOf,
} from './session-certificate.ts';

const dir = mkdtempSync(join(tmpdir(), 'session-certificates-'));
const sessions = await openSqliteSessionStore({ file: join(dir, 'sessions.db'), timeout: 60_000, clock: Date.now });
afterAll(async () => {
  await sessions.close();
  rmSync(dir, { recursive: true });
});

const client = createClientChain(1);
const now = Date.now();
const hour = 3_600_000;
let call: Parameters<typeof addSessionCertificate>[0] & { session: { stored: LiveApiSession } };

beforeEach(async () => {
  const id = sessionId(Date.now());
  const { session: stored } = await sessions.create({
    ...{ id, tokenHash: id, sealedToken: '', identityId: 'i', authenticatorId: 'a', credentialVersion: 0 },
    ...{
      method: 'cert',
      ipAddress: '::1',
      configTypes: [],
      createdAt: now,
      updatedAt: now,
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
  call = { sessions, session: { stored }, clock: () => now };
});

const list = async () =>
  (await sessions.certificates.list(call.session.stored.tokenHash)).toSorted((a, b) => a.validTo - b.validTo);
const some = (changes: { id: string; validTo: number; fingerprint?: string }) => ({
  ...sessionCertificateOf(call, client.pem(0)),
  ...changes,
});
/** As many as fit. The first one expires first. */
async function fill(firstValidTo: number): Promise<void> {
  for (let at = 0; at < 100; at += 1) {
    await addSessionCertificate(call, some({ id: `id${at}`, validTo: firstValidTo + at * hour }));
  }
}

it('describes the first certificate of a chain', () => {
  const leaf = new X509Certificate(client.der[0]!);
  const pem = client.pem(0, 1);
  expect(sessionCertificateOf(call, pem, 'id')).toEqual({
    ...{ id: 'id', subject: 'CN=a device', certPem: pem, createdAt: now },
    fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
    ...{ validFrom: leaf.validFromDate.getTime(), validTo: leaf.validToDate.getTime() },
  });
  const signIn = { read: readCertificate(leaf.raw), certPem: leaf.toString(), fingerprint: 'a fingerprint' };
  expect(signInCertificateOf(call, signIn)).toMatchObject({
    subject: 'CN=a device',
    certPem: leaf.toString(),
    fingerprint: 'a fingerprint',
  });
});

describe('a certificate that is added', () => {
  it('is refused when the session has 100 of which none has expired', async () => {
    await fill(now + 1);
    const added = addSessionCertificate(call, some({ id: 'new', validTo: now + hour }));
    await expect(added).rejects.toMatchObject({ code: 'MAX_API_SESSION_CERTIFICATES_REACHED' });
    expect(await list()).toHaveLength(100);
  });

  it('replaces those that have expired when the session has 100', async () => {
    await fill(now - hour);
    await addSessionCertificate(call, some({ id: 'new', validTo: now + 1 }));
    const ids = (await list()).map(({ id }) => id);
    // Two have expired: one an hour ago, one at this moment.
    expect(ids).toHaveLength(99);
    expect(ids.slice(0, 2)).toEqual(['new', 'id2']);
  });

  it('is refused when the session has ended', async () => {
    await sessions.remove(call.session.stored);
    const added = addSessionCertificate(call, some({ id: 'new', validTo: now + hour }));
    await expect(added).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect(await list()).toEqual([]);
  });
});

describe('a certificate that replaces another one', () => {
  const replacement = { oldFingerprint: 'old', certPem: client.pem(0) };
  const { fingerprint } = sessionCertificateOf({ clock: () => now }, client.pem(0));

  it('removes all with the old fingerprint and no others', async () => {
    await addSessionCertificate(call, some({ id: 'a', validTo: 1, fingerprint: 'old' }));
    await addSessionCertificate(call, some({ id: 'b', validTo: 2, fingerprint: 'old' }));
    await addSessionCertificate(call, some({ id: 'c', validTo: 3, fingerprint: 'other' }));
    expect(await replaceSessionCertificate(call, replacement)).toBe(true);
    expect((await list()).map((one) => one.fingerprint)).toEqual(['other', fingerprint]);
  });

  it('is added when the session has none of the old fingerprint', async () => {
    expect(await replaceSessionCertificate(call, replacement)).toBe(true);
    expect(await list()).toMatchObject([{ fingerprint }]);
  });

  it('replaces the one that expires first when the session has 100', async () => {
    await fill(now + hour);
    expect(await replaceSessionCertificate(call, replacement)).toBe(true);
    const certificates = await list();
    expect(certificates).toHaveLength(100);
    expect(certificates.map(({ id }) => id)).not.toContain('id0');
  });

  it('is not added when the session has ended', async () => {
    await sessions.remove(call.session.stored);
    expect(await replaceSessionCertificate(call, replacement)).toBe(false);
    expect(await list()).toEqual([]);
  });
});
