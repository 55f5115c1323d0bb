import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { shortId } from '../../core/secrets/ids.ts';
import type { SessionCertificate } from './session-certificates.ts';
import type { ApiSessionRecord } from './session-store.ts';
import type { SessionStoreUnderTest } from './store-under-test.contract.ts';

function newCertificate(changes: Partial<SessionCertificate> = {}): SessionCertificate {
  return {
    id: shortId(),
    subject: 'CN=Zoë,O="a, b"',
    fingerprint: '0123456789abcdef0123456789abcdef01234567',
    validFrom: 1_700_000_000_000,
    validTo: 253_402_300_799_000,
    certPem: '-----BEGIN CERTIFICATE-----\nMII=\n-----END CERTIFICATE-----\n',
    createdAt: 1_700_000_000_123,
    ...changes,
  };
}

const byId = (left: SessionCertificate, right: SessionCertificate) => (left.id < right.id ? -1 : 1);

/** The part of the contract suite about the certificates of sessions. */
export function itStoresSessionCertificates(
  open: (timeout: number) => Promise<SessionStoreUnderTest>,
  newSession: () => ApiSessionRecord,
): void {
  it('stores certificates with a new session and adds others, for this session only', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const [session, other, without] = [newSession(), newSession(), newSession()];
    const [first, second, ofOther] = [newCertificate(), newCertificate({ id: '-.x"\'é' }), newCertificate()];
    await store.create(session, { certificates: [first] });
    await Promise.all([store.create(other), store.create(without)]);
    expect(await store.certificates.add(session.tokenHash, second, { limit: 10 })).toBe('added');
    expect(await store.certificates.add(other.tokenHash, ofOther, { limit: 10 })).toBe('added');
    const list = async ({ tokenHash }: ApiSessionRecord) => (await store.certificates.list(tokenHash)).toSorted(byId);
    expect(await list(session)).toEqual([first, second].sort(byId));
    expect(await list(other)).toEqual([ofOther]);
    expect(await list(without)).toEqual([]);

    expect(await store.certificates.remove(other.tokenHash, first.id)).toBe(false);
    expect(await store.certificates.remove(session.tokenHash, 'unknown')).toBe(false);
    expect(await store.certificates.remove(session.tokenHash, second.id)).toBe(true);
    expect(await store.certificates.remove(session.tokenHash, second.id)).toBe(false);
    expect(await list(session)).toEqual([first]);
    expect((await store.touch(session.tokenHash)).session).toMatchObject(session);
    expect((await store.touch(other.tokenHash)).session).toMatchObject(other);
  });

  it('removes the certificates of a session in the same moment', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const ways: readonly ((session: ApiSessionRecord) => Promise<unknown>)[] = [
      (session) => store.remove(session),
      ({ identityId }) => store.removeByIdentity(identityId),
    ];
    for (const end of ways) {
      const session = newSession();
      await store.create(session, { certificates: [newCertificate()] });
      await store.certificates.add(session.tokenHash, newCertificate(), { limit: 10 });
      await end(session);
      expect(await store.certificates.list(session.tokenHash)).toEqual([]);
      expect(await store.certificates.add(session.tokenHash, newCertificate(), { limit: 10 })).toBe('no session');
      expect((await store.touch(session.tokenHash)).session).toBeNull();
      // What was left over would belong to the next session under this key.
      await store.create(session);
      expect(await store.certificates.list(session.tokenHash)).toEqual([]);
    }
  });

  it('keeps the timeout of a session when its certificates change, and removes them when it expires', async () => {
    await using opened = await open(600);
    const { store } = opened;
    const session = newSession();
    const certificate = newCertificate();
    await store.create(session, { certificates: [certificate] });
    const { expiresAt = 0 } = (await store.find(session.id)) ?? {};
    await sleep(150);
    expect(await store.certificates.add(session.tokenHash, newCertificate(), { limit: 10 })).toBe('added');
    expect(await store.certificates.remove(session.tokenHash, certificate.id)).toBe(true);
    expect(await store.certificates.list(session.tokenHash)).toHaveLength(1);
    expect(Math.abs(((await store.find(session.id))?.expiresAt ?? 0) - expiresAt)).toBeLessThan(50);
    await expect.poll(() => store.find(session.id)).toBeNull();
    expect(await store.certificates.list(session.tokenHash)).toEqual([]);
    expect(await store.certificates.remove(session.tokenHash, certificate.id)).toBe(false);
    expect(await store.certificates.add(session.tokenHash, newCertificate(), { limit: 10 })).toBe('no session');
    expect((await store.touch(session.tokenHash)).session).toBeNull();
  });

  it('adds no more than the limit, however many add at once, and makes room in the same step', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    const session = newSession();
    await store.create(session);
    const add = (changes: Partial<SessionCertificate> = {}, removedIds?: readonly string[]) =>
      store.certificates.add(session.tokenHash, newCertificate(changes), {
        limit: 10,
        ...(removedIds && { removedIds }),
      });
    const results = await Promise.all(Array.from({ length: 50 }, () => add()));
    expect(results.filter((result) => result === 'added')).toHaveLength(10);
    expect(results.filter((result) => result === 'full')).toHaveLength(40);
    const before = (await store.certificates.list(session.tokenHash)).toSorted(byId);
    expect(before).toHaveLength(10);
    // Neither an unknown id nor the same one twice makes room.
    expect(await add({}, ['unknown'])).toBe('full');
    expect((await store.certificates.list(session.tokenHash)).toSorted(byId)).toEqual(before);
    const [first, second] = before.map(({ id }) => id);
    expect(await add({ id: 'new' }, [first!, first!, second!])).toBe('added');
    const after = (await store.certificates.list(session.tokenHash)).map(({ id }) => id);
    expect(after.toSorted()).toEqual([...before.slice(2).map(({ id }) => id), 'new'].toSorted());
    expect(await add()).toBe('added');
    expect(await add({}, [first!])).toBe('full');
  });

  it('lets exactly one of 100 concurrent callers remove a certificate', async () => {
    await using opened = await open(60_000);
    const session = newSession();
    const certificate = newCertificate();
    await opened.store.create(session, { certificates: [certificate] });
    const won = await Promise.all(
      Array.from({ length: 100 }, () => opened.store.certificates.remove(session.tokenHash, certificate.id)),
    );
    expect(won.filter(Boolean)).toHaveLength(1);
  });

  it('never brings back a session when additions and removals of certificates race with its end', async () => {
    await using opened = await open(60_000);
    const { store } = opened;
    for (let round = 0; round < 50; round += 1) {
      const session = newSession();
      const certificate = newCertificate();
      await store.create(session, { certificates: [certificate] });
      const add = () => store.certificates.add(session.tokenHash, newCertificate(), { limit: 10 });
      const ended = [add(), store.remove(session), add(), store.certificates.remove(session.tokenHash, certificate.id)];
      await Promise.all(ended);
      expect(await add()).toBe('no session');
      expect((await store.touch(session.tokenHash)).session).toBeNull();
      expect(await store.certificates.list(session.tokenHash)).toEqual([]);
    }
  });
}
