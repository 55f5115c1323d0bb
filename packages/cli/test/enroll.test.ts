import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrollmentJwt } from '../../sdk/test/support/enrollment-jwt.ts';
import { createAuthority } from '../../sdk/test/support/openssl.ts';
import { json } from '../../sdk/test/support/scripted-server.ts';
import type { TlsServer } from '../../sdk/test/support/tls-server.ts';
import { startTlsServer } from '../../sdk/test/support/tls-server.ts';
import { createEdge, signedInEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

/** A folder with the enrollment JWT of a new identity, as an administrator makes it. */
async function enrollmentOf(name: string, enrollment: string) {
  const edge = await signedInEdge(controller);
  const create = ['identities', 'create', '--name', name, '--type', 'Device', '--no-is-admin'];
  await edge.ok([...create, ...enrollment.split(' ')]);
  const jwt = await edge.ok(['identities', 'enrollments', `@${name}`, '--quiet', '--columns', 'jwt']);
  writeFileSync(join(edge.folder, `${name}.jwt`), `${jwt}\n`);
  return { edge, jwt };
}

describe('edge enroll', () => {
  it('writes an identity file that only its owner may read, and it signs in', async () => {
    const { edge } = await enrollmentOf('sensor-1', '--enrollment.ott');
    expect(await edge.ok(['enroll', 'sensor-1.jwt'])).toBe('sensor-1.json');
    expect(statSync(join(edge.folder, 'sensor-1.json')).mode & 0o777).toBe(0o600);
    await edge.ok(['login', '--identity', 'sensor-1.json', '--profile', 'sensor']);
    expect(await edge.ok(['whoami'])).toContain('sensor-1');
    const again = await edge.run(['enroll', 'sensor-1.jwt', '--out', 'again.json']);
    expect(again.code).toBe(1);
  });

  it('keeps an existing file, and does not redeem the token then', async () => {
    const { edge, jwt } = await enrollmentOf('sensor-2', '--enrollment.ott');
    writeFileSync(join(edge.folder, 'sensor-2.json'), 'mine');
    const done = await edge.run(['enroll', 'sensor-2.jwt']);
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('--force') });
    expect(readFileSync(join(edge.folder, 'sensor-2.json'), 'utf8')).toBe('mine');
    expect(await edge.ok(['enroll', '-', '--out', 'new.json', '--key-type', 'rsa'], { input: jwt })).toBe('new.json');
  });

  it('sets a password', async () => {
    const { edge } = await enrollmentOf('ada', '--enrollment.updb ada-user');
    const { code, stdout, stderr } = await edge.run(['enroll', 'ada.jwt', '--password-stdin'], {
      input: 'a new password',
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('--username ada-user');
    const login = ['login', controller.url, '--ca', controller.caFile, '--username', 'ada-user', '--password-stdin'];
    await edge.ok(login, { input: 'a new password' });
  });

  it('says what is wrong with a text that is no JWT, without the text', async () => {
    const edge = createEdge();
    const done = await edge.run(['enroll', '-'], { input: 'secret text' });
    expect(done).toMatchObject({ code: 2, stderr: expect.not.stringContaining('secret text') });
    expect((await edge.run(['enroll', 'missing.jwt'])).stderr).toContain('cannot read missing.jwt (ENOENT)');
  });
});

describe('edge enroll at a hostile controller', () => {
  const authority = createAuthority();
  const issued = authority.issue({ subject: 'localhost', names: 'DNS:localhost' });
  let server: TlsServer;
  beforeAll(async () => {
    server = await startTlsServer(issued, async (request, response) => {
      if (request.url === '/.well-known/est/cacerts') return response.end(authority.bundle());
      let body = '';
      for await (const chunk of request) body += chunk;
      return json(response, 200, { data: { cert: authority.sign(JSON.parse(body).clientCsr) }, meta: {} });
    });
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    authority[Symbol.dispose]();
  });

  it.each([
    ['../../.config/autostart/x', 'config-autostart-x.json'],
    ['/etc/passwd', 'etc-passwd.json'],
    ['C:\\Users\\x', 'C-Users-x.json'],
    ['.bashrc', 'bashrc.json'],
    ['-rf', 'rf.json'],
    ['a\u202egnp\u001b]0;t\u0007.\u009b2J', 'a-gnp-0-t-.-2J.json'],
    ['nul.x', 'identity.json'],
    ['..', 'identity.json'],
    ['\u202e', 'identity.json'],
  ])('makes a file of the current folder alone for the identity %j', async (sub, file) => {
    const edge = createEdge();
    const folder = join(edge.folder, 'a', 'b', 'c');
    mkdirSync(folder, { recursive: true });
    const done = await edge.run(['enroll', enrollmentJwt(server.url, issued, { claims: { sub } })], { cwd: folder });
    expect(done).toMatchObject({ code: 0, stdout: `${file}\n` });
    const files = readdirSync(edge.folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    expect(files.map((one) => join(one.parentPath, one.name))).toEqual([join(folder, file)]);
  });

  it.each(['file', 'link'])('replaces no %s with the name, and redeems nothing then', async (kind) => {
    const edge = createEdge();
    const path = join(edge.folder, 'x.json');
    if (kind === 'file') writeFileSync(path, 'mine');
    else symlinkSync(join(edge.folder, 'elsewhere'), path);
    const before = server.requests.length;
    const done = await edge.run(['enroll', enrollmentJwt(server.url, issued, { claims: { sub: '../x' } })]);
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('x.json exists') });
    expect(server.requests).toHaveLength(before);
    expect(readdirSync(edge.folder)).toEqual(['x.json']);
  });
});
