import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { saveIdentity } from '@edge-controller/sdk/node';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adminLogin, createEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const password = () => controller.adminCredentials.password;

describe('edge login', () => {
  it('keeps the session in a file that only its owner may read', async () => {
    const edge = createEdge();
    const { code, stdout, stderr } = await edge.run(adminLogin(controller), { input: `${password()}\n` });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe(`signed in to ${controller.url} as Default Admin (profile default)\n`);
    expect(statSync(join(edge.folder, 'profiles', 'default.json')).mode & 0o777).toBe(0o600);
    const who = JSON.parse(await edge.ok(['whoami', '-o', 'json']));
    expect(who).toMatchObject({ profile: 'default', url: controller.url, isAdmin: true, state: 'full' });
    expect(JSON.stringify(who)).not.toContain(password());
  });

  it('with a wrong password ends with 3 and shows no secret', async () => {
    const edge = createEdge();
    const { code, stderr } = await edge.run(adminLogin(controller), { input: 'not the password' });
    expect(code).toBe(3);
    expect(stderr).toBe('edge: user name or password is wrong (INVALID_AUTH)\n');
    expect(stderr).not.toContain('not the password');
    expect((await edge.run(['whoami'])).code).toBe(3);
  });

  it('is asked for again before a change of how oneself signs in, a while after it', async () => {
    const { id, username, password: own } = await controller.createIdentity({ isAdmin: true });
    const edge = createEdge();
    const login = ['login', controller.url, '--ca', controller.caFile, '--username', username, '--password-stdin'];
    await edge.ok(login, { input: own });
    await controller.clock.advance(6 * 60_000);
    const change = ['identities', 'patch', id, '--external-id', 'mine'];
    const refused = await edge.run(change);
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('too long ago') });
    expect(refused.stderr).toContain('Sign in again: edge login');
    expect((await edge.run(['whoami'])).code).toBe(0);
    await edge.ok(login, { input: own });
    await edge.ok(change);
  });

  it('has no option for a password, and says what to do without a terminal', async () => {
    const edge = createEdge();
    const withPassword = await edge.run(['login', controller.url, '--username', 'admin', '--password', 'x']);
    expect(withPassword).toMatchObject({ code: 2, stderr: expect.stringContaining("unknown option '--password'") });
    const without = await edge.run(['login', controller.url, '--ca', controller.caFile, '--username', 'admin']);
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('use --password-stdin') });
  });

  it('asks for a TOTP code', async () => {
    const ada = await controller.createIdentity();
    const { mfa } = await ada.signIn();
    const { provisioningUrl, verify, recoveryCodes } = await mfa.enroll();
    await verify(controller.totp(provisioningUrl));
    const edge = createEdge();
    const args = ['login', controller.url, '--ca', controller.caFile, '--username', ada.username, '--password-stdin'];
    const asked = await edge.run(args, { input: ada.password });
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--totp-stdin') });
    await edge.ok([...args, '--totp-stdin'], { input: `${ada.password}\n${recoveryCodes[0]}\n` });
    expect(await edge.ok(['whoami', '-o', 'csv', '--columns', 'identity.name,state'])).toContain(`${ada.name},full`);
    const wrong = await edge.run([...args, '--totp-stdin'], { input: `${ada.password}\nwrong-code\n` });
    expect(wrong).toMatchObject({ stderr: expect.not.stringContaining('wrong-code') });
    expect(wrong.code).not.toBe(0);
  });

  it('asks for a new password where the present one must be changed', async () => {
    await using changing = await startTestController({ changeInitialPasswords: true });
    const edge = createEdge();
    const { password: present } = changing.adminCredentials;
    const login = adminLogin(changing);
    const asked = await edge.run(login, { input: present });
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('--new-password-stdin') });
    const same = await edge.run([...login, '--new-password-stdin'], { input: `${present}\n${present}\n` });
    expect(same).toMatchObject({ code: 1, stderr: expect.not.stringContaining(present) });
    await edge.ok([...login, '--new-password-stdin'], { input: `${present}\na password of my own\n` });
    expect(await edge.ok(['whoami', '-o', 'csv', '--columns', 'state'])).toContain('full');
    await edge.ok(login, { input: 'a password of my own' });
  });

  it('signs in with an identity file, and again by itself when the session has ended', async () => {
    const sensor = await controller.createIdentity({ isAdmin: true });
    const edge = createEdge();
    const identity = await controller.clientCertificate(sensor);
    await saveIdentity(join(edge.folder, 'sensor.json'), { ...identity, url: controller.url, ca: controller.ca });
    await edge.ok(['login', '--identity', 'sensor.json', '--profile', 'sensor']);
    await controller.revokeSessions(sensor);
    const name = await edge.ok(['whoami', '-o', 'csv', '--columns', 'identity.name']);
    expect(name).toContain(sensor.name);
    // The profile knows what it signs in with.
    await edge.ok(['logout']);
    await edge.ok(['login', '--profile', 'sensor']);
    expect(await edge.ok(['profiles', 'list', '-q', '--columns', 'name,method'])).toBe('sensor\tcertificate');
  });

  it('signs in with a certificate and its key', async () => {
    const sensor = await controller.createIdentity();
    const edge = createEdge();
    const { key, cert } = await controller.clientCertificate(sensor);
    writeFileSync(join(edge.folder, 'key.pem'), key, { mode: 0o600 });
    writeFileSync(join(edge.folder, 'cert.pem'), cert);
    const alone = await edge.run(['login', controller.url, '--cert', 'cert.pem']);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('--cert and --key belong together') });
    await edge.ok(['login', controller.url, '--ca', controller.caFile, '--cert', 'cert.pem', '--key', 'key.pem']);
    expect(await edge.ok(['whoami'])).toContain(sensor.name);
  });

  it('signs in with a JWT of an external signer', async () => {
    const issuer = await controller.jwtIssuer();
    const ada = await controller.createIdentity({ authPolicyId: issuer.authPolicyId });
    const edge = createEdge();
    const args = ['login', controller.url, '--ca', controller.caFile, '--jwt-stdin'];
    await edge.ok(args, { input: issuer.sign({ sub: ada.id }) });
    expect(await edge.ok(['whoami'])).toContain(ada.name);
    const refused = await edge.run(args, { input: issuer.sign({ sub: 'nobody' }) });
    expect(refused.code).toBe(3);
  });
});

describe('a session on the command line', () => {
  it('that has ended is an error with the command that helps', async () => {
    const edge = createEdge();
    await edge.ok(adminLogin(controller), { input: password() });
    await controller.revokeSessions();
    const { code, stderr } = await edge.run(['identities', 'list']);
    expect(code).toBe(3);
    expect(stderr).toContain(`edge login ${controller.url} --username admin`);
  });

  it('ends with logout, and nobody is signed in before login', async () => {
    const edge = createEdge();
    const before = await edge.run(['identities', 'list']);
    expect(before).toMatchObject({ code: 3, stderr: expect.stringContaining('edge login <url>') });
    await edge.ok(adminLogin(controller), { input: password() });
    await edge.ok(['logout']);
    const who = await edge.run(['whoami']);
    expect(who).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^edge: the session has ended\nSign in: edge login/),
    });
    // The profile knows the controller and its CA.
    await edge.ok(['login', '--password-stdin'], { input: password() });
    await edge.ok(['logout', '--forget']);
    expect(await edge.ok(['profiles', 'list', '-q'])).toBe('');
  });

  it('belongs to a profile', async () => {
    const edge = createEdge();
    const ada = await controller.createIdentity();
    await edge.ok(adminLogin(controller), { input: password() });
    const login = ['login', controller.url, '--ca', controller.caFile, '--username', ada.username, '--password-stdin'];
    await edge.ok([...login, '--profile', 'ada'], { input: ada.password });
    expect(await edge.ok(['whoami'])).toContain(ada.name);
    expect(await edge.ok(['whoami'], { env: { EDGE_PROFILE: 'default' } })).toContain('Default Admin');
    await edge.ok(['profiles', 'use', 'default']);
    expect(await edge.ok(['whoami'])).toContain('Default Admin');
    expect(await edge.ok(['profiles', 'list', '-o', 'csv'])).toContain(`*,default,${controller.url},password,admin`);
    expect((await edge.run(['whoami', '--profile', '../x'])).code).toBe(2);
    expect((await edge.run(['profiles', 'use', 'nobody'])).stderr).toContain('ada, default');
  });
});

describe('a controller', () => {
  it('has no address that begins with http://', async () => {
    const done = await createEdge().run(['login', 'http://localhost:1280']);
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('use https://') });
  });

  it('that does not respond ends with 5', async () => {
    const edge = createEdge();
    const done = await edge.run(['login', 'localhost:9', '--username', 'admin', '--password-stdin'], {
      input: 'password',
    });
    expect(done).toMatchObject({ code: 5, stderr: expect.stringContaining('ECONNREFUSED') });
  });

  it('whose certificate is not trusted ends with 5, and --ca is named', async () => {
    const edge = createEdge();
    const args = ['login', controller.url, '--username', 'admin', '--password-stdin'];
    const done = await edge.run(args, { input: password() });
    expect(done).toMatchObject({ code: 5, stderr: expect.stringContaining('--ca ca.pem') });
  });
});
