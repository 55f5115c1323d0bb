import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, enroll, loadIdentity, mtls, saveIdentity } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const inFuture = () => new Date(Date.now() + 3_600_000).toISOString();

describe.each(storePairs)('certificates of the SDK against $stores', ({ open }) => {
  let server: TestController;
  let admin: NodeEdgeClient;
  let directory = '';

  beforeAll(async () => {
    server = await startController(await open());
    admin = createEdgeClient(server.url, { caFile: server.caFile });
    await admin.signIn.password(adminCredentials);
    directory = mkdtempSync(join(tmpdir(), 'edge-sdk-'));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  /** An enrolled device with its identity in a file. */
  async function enrolled(name: string) {
    const { id, jwt } = await newDevice(admin, name);
    const file = join(directory, `${name}.json`);
    await saveIdentity(file, await enroll(jwt));
    return {
      id,
      file,
      connect: () => createEdgeClient(loadIdentity(file).url ?? '', { fetch: mtls(file), retries: 0 }),
    };
  }

  it('enrolls with a JWT alone, saves the identity, signs in, renews it, and signs in again', async () => {
    const { id, jwt } = await newDevice(admin, 'sensor');
    const identity = await enroll(jwt);
    expect(identity).toMatchObject({ url: server.url, method: 'ott', id });
    const file = join(directory, 'sensor.json');
    await saveIdentity(file, identity);
    const edge = createEdgeClient(identity.url, { fetch: mtls(file) });
    expect(await edge.signIn.certificate()).toMatchObject({ state: 'full', identity: { id, name: 'sensor' } });

    const renewed = await edge.extendCertificate();
    expect([renewed.key === identity.key, renewed.cert === identity.cert]).toEqual([true, false]);
    expect(loadIdentity(file)).toEqual(renewed);
    expect(JSON.parse(readFileSync(file, 'utf8'))).not.toHaveProperty('pendingId');
    expect((await edge.client.currentApiSession.get()).identityId).toBe(id);
    await edge.signIn.certificate();
    const old = createEdgeClient(identity.url, { fetch: mtls(identity) });
    await expect(old.signIn.certificate()).rejects.toMatchObject({ code: 'INVALID_AUTH' });
  });

  it('redeems a token once, also a bare one, and says what to do about a used one', async () => {
    const { jwt, token } = await newDevice(admin, 'once');
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const identity = await edge.enroll(token, { key });
    expect(new X509Certificate(identity.cert ?? '').checkPrivateKey(privateKey)).toBe(true);
    for (const again of [() => enroll(jwt), () => edge.enroll(token), () => edge.enroll({ jwt })]) {
      await expect(again()).rejects.toMatchObject({ name: 'EdgeEnrollmentError', code: 'USED_OR_UNKNOWN' });
    }
    await createEdgeClient(identity.url, { fetch: mtls(identity) }).signIn.certificate();
  });

  it('of many enrollments with one JWT, one gets a certificate', async () => {
    const { jwt } = await newDevice(admin, 'race');
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => enroll(jwt)));
    const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(reasons).toEqual(Array.from({ length: 7 }, () => 'USED_OR_UNKNOWN'));
  });

  it('sets a password with a JWT alone, and the CA certificates come with it', async () => {
    const { id } = await admin.management.identities.create({
      ...{ name: 'person', type: 'User', isAdmin: false },
      enrollment: { updb: 'person' },
    });
    const { jwt = '' } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
    const { url, ca, username } = await enroll(jwt, { password: 'a password of a person' });
    expect(username).toBe('person');
    const edge = createEdgeClient(url, { ca });
    await edge.signIn.password({ username: 'person', password: 'a password of a person' });
    await expect(edge.extendCertificate()).rejects.toThrow('mtls');
  });

  it('makes a new key when the administrator asks for one, or the caller does', async () => {
    const { id, connect } = await enrolled('roll');
    const edge = connect();
    await edge.signIn.certificate();
    const { data } = await admin.management.authenticators.list({ filter: `identity="${id}"` });
    await admin.management.authenticators.requestExtend(data[0]?.id ?? '', { rollKeys: true });
    expect(await edge.client.currentApiSession.get()).toMatchObject({ isCertExtendRequested: true });
    const keys = [loadIdentity(join(directory, 'roll.json')).key, (await edge.extendCertificate()).key];
    keys.push((await edge.extendCertificate()).key);
    keys.push((await edge.extendCertificate({ newKey: true, keyType: 'rsa' })).key);
    expect(keys[1] !== keys[0] && keys[2] === keys[1]).toBe(true);
    expect(createPrivateKey(keys[3] ?? '').asymmetricKeyType).toBe('rsa');
    await connect().signIn.certificate();
  });

  it('renews once when two callers ask at the same time', async () => {
    const { connect } = await enrolled('twice');
    const edge = connect();
    await edge.signIn.certificate();
    const [one, two] = await Promise.all([edge.extendCertificate(), edge.extendCertificate()]);
    expect(one).toEqual(two);
  });

  /** Renews up to the second step. It then fails as in a crash: before the request, or before its response. */
  async function renewAndCrash(edge: NodeEdgeClient, { isSent }: { isSent: boolean }) {
    await edge.signIn.certificate();
    const { extendVerify } = edge.client.currentIdentityAuthenticators;
    Object.assign(edge.client.currentIdentityAuthenticators, {
      async extendVerify(...args: Parameters<typeof extendVerify>) {
        if (isSent) await extendVerify(...args);
        throw new Error('crash');
      },
    });
    await expect(edge.extendCertificate()).rejects.toThrow('crash');
  }

  async function interrupted(name: string, when: { isSent: boolean }) {
    const device = await enrolled(name);
    const before = loadIdentity(device.file);
    await renewAndCrash(device.connect(), when);
    expect(loadIdentity(device.file)).toEqual(before);
    const { pendingId } = JSON.parse(readFileSync(device.file, 'utf8'));
    return { ...device, before, renewed: String(pendingId.cert).slice('pem:'.length) };
  }

  it('goes on after a crash before the confirmation: the old certificate signs in, then the renewal is finished', async () => {
    const { file, connect, renewed } = await interrupted('crash-before', { isSent: false });
    const edge = connect();
    await edge.signIn.certificate();
    expect((await edge.extendCertificate()).cert).toBe(renewed);
    expect(loadIdentity(file).cert).toBe(renewed);
    await connect().signIn.certificate();
  });

  it('goes on after a crash after the confirmation: the new certificate signs in', async () => {
    const { id, file, connect, renewed } = await interrupted('crash-after', { isSent: true });
    expect((await connect().signIn.certificate()).identity.id).toBe(id);
    expect(loadIdentity(file).cert).toBe(renewed);
    expect(readFileSync(file, 'utf8')).not.toContain('pendingId');
  });

  it('a session that outlived the crash finds out which certificate counts', async () => {
    const { file, connect, renewed } = await interrupted('crash-session', { isSent: false });
    const edge = connect();
    await edge.signIn.certificate();
    const { authenticatorId } = await edge.client.currentApiSession.get();
    await edge.client.currentIdentityAuthenticators.extendVerify(authenticatorId, { clientCert: renewed });
    expect((await edge.extendCertificate()).cert).toBe(renewed);
    expect(loadIdentity(file).cert).toBe(renewed);
  });

  it('drops a renewed certificate that the controller has replaced, and renews again', async () => {
    const { file, connect, before, renewed } = await interrupted('crash-replaced', { isSent: false });
    await renewAndCrash(createEdgeClient(server.url, { fetch: mtls(before) }), { isSent: false });
    const edge = connect();
    await edge.signIn.certificate();
    const { cert } = await edge.extendCertificate();
    expect([before.cert, renewed]).not.toContain(cert);
    expect(loadIdentity(file).cert).toBe(cert);
    await connect().signIn.certificate();
  });

  it('signs in again once when many calls find the session ended', async () => {
    const { id, file } = await enrolled('recover');
    let signIns = 0;
    const edge: NodeEdgeClient = createEdgeClient(server.url, {
      fetch: mtls(file),
      reauthenticate: () => {
        signIns += 1;
        return edge.signIn.certificate();
      },
    });
    const { id: sessionId } = await edge.signIn.certificate();
    await admin.management.apiSessions.delete(sessionId);
    const calls = await Promise.all(Array.from({ length: 20 }, () => edge.client.currentApiSession.get()));
    expect(calls.every(({ identityId }) => identityId === id)).toBe(true);
    expect(signIns).toBe(1);
  });

  it('a removed authenticator ends the session and signs nobody in, and a new enrollment starts again', async () => {
    const { id, file, connect } = await enrolled('removed');
    const edge = connect();
    await edge.signIn.certificate();
    const { data } = await admin.management.authenticators.list({ filter: `identity="${id}"` });
    const { id: enrollmentId } = await admin.management.authenticators.reEnroll(data[0]?.id ?? '', {
      expiresAt: inFuture(),
    });
    await expect(edge.client.currentApiSession.get()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(edge.signIn.certificate()).rejects.toMatchObject({ code: 'INVALID_AUTH' });
    const { jwt } = await admin.management.enrollments.get(enrollmentId);
    await saveIdentity(file, await enroll(jwt));
    expect((await connect().signIn.certificate()).identity.id).toBe(id);
  });

  it('a refreshed enrollment leaves only its new JWT', async () => {
    const { id, jwt } = await newDevice(admin, 'refreshed');
    const [enrollment] = (await admin.management.identities.enrollments(id)).data;
    await admin.management.enrollments.refresh(enrollment?.id ?? '', { expiresAt: inFuture() });
    await expect(enroll(jwt)).rejects.toMatchObject({ code: 'USED_OR_UNKNOWN' });
    await enroll((await admin.management.enrollments.get(enrollment?.id ?? '')).jwt);
  });
});

/** Creates an identity of a device and returns what its owner gets to enroll it. */
async function newDevice(admin: NodeEdgeClient, name: string) {
  const device = { name, type: 'Device', isAdmin: false, enrollment: { ott: true } } as const;
  const { id } = await admin.management.identities.create(device);
  const { jwt = '', token = '' } = (await admin.management.identities.get(id)).enrollment.ott ?? {};
  return { id, jwt, token };
}
