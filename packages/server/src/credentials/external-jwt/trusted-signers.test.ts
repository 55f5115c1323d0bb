import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { entityStores } from '../../../test/support/databases.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';
import { createTrustedSigners } from './trusted-signers.ts';

const now = '2026-01-02T03:04:05.000Z';

async function addSigner({ db }: EntityStore, id: string, changes: Partial<Tables['externalJwtSigners']> = {}) {
  const row: Tables['externalJwtSigners'] = {
    ...{ id, createdAt: now, updatedAt: now, tags: '{}', name: id, enabled: 1, issuer: `issuer of ${id}` },
    ...{ audience: 'aud', certPem: null, jwksEndpoint: 'https://a.example.com', kid: null, claimsProperty: '/sub' },
    ...{ useExternalId: 0, externalAuthUrl: null, clientId: null, scopes: null, targetToken: 'ACCESS' },
    ...{ requiredAcr: null, requiredAmr: null, maxAuthAgeMinutes: null, sessionsEndAt: null },
    ...{ enrollToCertEnabled: 0, enrollToTokenEnabled: 0, enrollAuthPolicyId: 'default' },
    ...{ enrollNameClaimsSelector: '/sub', enrollAttributeClaimsSelector: null, commonName: '', fingerprint: null },
    ...{ notBefore: now, notAfter: now, authVersion: 0, ...changes },
  };
  await db.insertInto('externalJwtSigners').values(row).execute();
}

const change = ({ db }: EntityStore, id: string, changes: Partial<Tables['externalJwtSigners']>) =>
  db.updateTable('externalJwtSigners').set(changes).where('id', '=', id).execute();

describe.each(entityStores)('trusted signers on $database', ({ openStore }) => {
  it('are all, enabled or not, by id and by issuer, with decoded fields', async () => {
    await using opened = await openStore(inject('postgresUrl'));
    const { store } = opened;
    const certificate = { certPem: 'pem', jwksEndpoint: null, fingerprint: 'f1' };
    await addSigner(store, 'a', { scopes: '["openid"]', useExternalId: 1, enrollToTokenEnabled: 1 });
    await addSigner(store, 'b', certificate);
    await addSigner(store, 'c', { ...certificate, fingerprint: 'f2', kid: '' });
    await addSigner(store, 'd', { ...certificate, fingerprint: 'f3', kid: 'k' });
    await addSigner(store, 'off', { enabled: 0 });
    const signers = createTrustedSigners(store);
    const { byId, byIssuer } = await signers.at('1');
    expect([...byId.keys()]).toEqual(['a', 'b', 'c', 'd', 'off']);
    expect([...byIssuer.keys()]).toEqual(['a', 'b', 'c', 'd', 'off'].map((id) => `issuer of ${id}`));
    expect(byId.get('a')).toMatchObject({
      ...{ id: 'a', authVersion: 0, issuer: 'issuer of a', audience: 'aud', kid: null, scopes: ['openid'] },
      ...{ useExternalId: true, enrollToTokenEnabled: true, enrollToCertEnabled: false, targetToken: 'ACCESS' },
    });
    expect(['b', 'c', 'd'].map((id) => byId.get(id)?.kid)).toEqual(['f1', 'f2', 'k']);
    expect([byId.get('a')?.enabled, byId.get('off')?.enabled]).toEqual([true, false]);
  });

  it('are read once for a version, and each keeps its object until it changes', async () => {
    await using opened = await openStore(inject('postgresUrl'));
    const { store } = opened;
    await addSigner(store, 'a', { scopes: '["openid"]' });
    await addSigner(store, 'b');
    const signers = createTrustedSigners(store);
    const first = await signers.at('1');
    await change(store, 'b', { audience: 'another' });
    await change(store, 'a', { name: 'renamed', updatedAt: '2027-01-01T00:00:00.000Z' });
    expect(await signers.at('1')).toBe(first);
    const [second, same] = await Promise.all([signers.at('2'), signers.at('2')]);
    expect(same).toBe(second);
    expect(second.byId.get('a')).toBe(first.byId.get('a'));
    expect(second.byId.get('b')).toMatchObject({ audience: 'another' });
    expect(second.byIssuer.get('issuer of b')).toBe(second.byId.get('b'));
    await change(store, 'b', { enabled: 0 });
    expect((await signers.reload()).byId.get('b')?.enabled).toBe(false);
    expect((await signers.at('2')).byId.get('b')?.enabled).toBe(false);
  });

  it('are read again after the database has failed', async () => {
    await using opened = await openStore(inject('postgresUrl'));
    const { store } = opened;
    await addSigner(store, 'a');
    const signers = createTrustedSigners(store);
    await sql`alter table "externalJwtSigners" rename to "away"`.execute(store.db);
    await expect(signers.at('1')).rejects.toThrow();
    await sql`alter table "away" rename to "externalJwtSigners"`.execute(store.db);
    expect((await signers.at('1')).byId.size).toBe(1);
  });
});
