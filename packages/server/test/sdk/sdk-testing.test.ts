import { spawn } from 'node:child_process';
import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mtls } from '@edge-controller/sdk/node';
import type { TestController, TestControllerOptions } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { storePairs } from '../support/controller.ts';

const minute = 60_000;

describe('one controller', () => {
  let controller: TestController;
  beforeAll(async () => {
    controller = await startTestController({ totpAttempts: 100 });
  });
  afterAll(() => controller[Symbol.asyncDispose]());

  it('has an administrator who is signed in', async () => {
    expect(controller.admin.session).toMatchObject({ state: 'full', identity: { name: 'Default Admin' } });
    const other = controller.client();
    await other.signIn.password(controller.adminCredentials);
    expect(new X509Certificate(controller.ca).ca).toBe(true);
  });

  it('creates identities that sign in with their passwords', async () => {
    const someone = await controller.createIdentity();
    expect((await someone.signIn()).session).toMatchObject({ state: 'full', identity: { id: someone.id } });
    const { id: authPolicyId } = await controller.admin.management.authPolicies.create({
      ...(await controller.admin.management.authPolicies.get('default')),
      name: 'another',
    });
    const members = {
      name: 'ada',
      isAdmin: true,
      roleAttributes: ['field'],
      externalId: 'ada@example.org',
      authPolicyId,
    };
    const ada = await controller.createIdentity({ ...members, username: 'lovelace', password: 'a long password' });
    expect(ada).toMatchObject({ name: 'ada', username: 'lovelace', password: 'a long password' });
    const edge = await ada.signIn({ timeout: 20_000 });
    expect(await edge.management.identities.get(ada.id)).toMatchObject(members);
    const device = await controller.createIdentity({ type: 'Device', password: null });
    await expect(device.signIn()).rejects.toThrow(TypeError);
  });

  it('returns codes of a TOTP, each once, without a wait', async () => {
    const person = await controller.createIdentity();
    const { secret, provisioningUrl, verify } = await (await person.signIn()).mfa.enroll();
    const before = controller.clock.now();
    const codes = [controller.totp(provisioningUrl)];
    await verify(codes[0]!);
    for (let round = 0; round < 8; round += 1) {
      const code = controller.totp(round % 2 ? secret : provisioningUrl);
      codes.push(code);
      const edge = await person.signIn({ onAuthQuery: async (_query, answer) => void (await answer.totp(code)) });
      expect(edge.session?.state).toBe('full');
    }
    expect(controller.clock.now() - before).toBeGreaterThan(5 * 30_000);
    expect(codes).toHaveLength(9);
    expect(() => controller.totp('not a secret!')).toThrow(TypeError);
  });

  it('gives identities client certificates', async () => {
    const device = await controller.createIdentity({ type: 'Device', password: null });
    const identity = await controller.clientCertificate(device);
    expect(identity).toMatchObject({ url: controller.url, ca: expect.stringContaining('BEGIN CERTIFICATE') });
    const edge = controller.client({ fetch: mtls(identity) });
    await edge.signIn.certificate();
    expect(edge.session?.identity.id).toBe(device.id);
  });

  it('has issuers of JWTs', async () => {
    const issuer = await controller.jwtIssuer();
    const byEmail = await controller.jwtIssuer({ audience: 'mine', useExternalId: true, claimsProperty: 'email' });
    const externalId = createHash('sha256').update(controller.url).digest('hex');
    const { authPolicyId } = issuer;
    const person = await controller.createIdentity({ password: null, authPolicyId });
    const { id } = await controller.createIdentity({ externalId, authPolicyId: byEmail.authPolicyId });
    const signIn = (token: string) => controller.client().signIn.extJwt({ token });
    expect((await signIn(issuer.sign({ sub: person.id }))).identity.id).toBe(person.id);
    expect((await signIn(byEmail.sign({ email: externalId }))).identity.id).toBe(id);
    await expect(signIn(issuer.sign({ sub: 'nobody' }))).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    await expect(signIn(issuer.sign({ sub: person.id, aud: 'another' }))).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    });
    const old = issuer.sign({ sub: person.id });
    controller.clock.advance(10 * minute);
    await expect(signIn(old)).rejects.toMatchObject({ challenge: { error: 'expired' } });
    expect((await signIn(issuer.sign({ sub: person.id }))).identity.id).toBe(person.id);
  });

  it('ends API sessions when its clock is advanced, and the administrator signs in again', async () => {
    const edge = await (await controller.createIdentity()).signIn();
    const ended = edge.client.currentApiSession;
    controller.clock.advance(29 * minute);
    await ended.get();
    controller.clock.advance(31 * minute);
    await expect(ended.get()).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
    expect((await controller.admin.client.currentIdentity.get()).name).toBe('Default Admin');
    expect(() => controller.clock.advance(-1)).toThrow(RangeError);
    expect(() => controller.clock.advance(Number.NaN)).toThrow(RangeError);
    expect(() => controller.clock.advance(Number.POSITIVE_INFINITY)).toThrow(RangeError);
  });

  it('revokes the sessions of one identity, or of all', async () => {
    const [one, two] = [await controller.createIdentity(), await controller.createIdentity()];
    const clients = [await one.signIn(), await one.signIn(), await two.signIn()] as const;
    const own = controller.admin.session?.id;
    const results = () =>
      Promise.all(
        clients.map((edge) =>
          edge.client.currentIdentity.get().then(
            ({ id }) => id,
            ({ code }) => code,
          ),
        ),
      );
    await controller.revokeSessions(one);
    expect(await results()).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED', two.id]);
    await controller.revokeSessions();
    expect(await results()).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED', 'UNAUTHORIZED']);
    expect(controller.admin.session?.id).toBe(own);
  });

  it('restarts at the same address with the same data, and keeps the listeners', async () => {
    const person = await controller.createIdentity();
    const edge = await person.signIn();
    const seen: string[] = [];
    const stop = controller.events.on('authentication.succeeded', ({ identityId }) => seen.push(identityId));
    await controller.restart();
    expect((await edge.client.currentIdentity.get()).id).toBe(person.id);
    await person.signIn();
    await controller.restart();
    await person.signIn();
    stop();
    await person.signIn();
    expect(seen).toEqual([person.id, person.id]);
    expect(controller.admin.session?.state).toBe('full');
  });
});

it('restarts and its disposal run one after the other, and settings that are undefined or null have their defaults', async () => {
  const given: object = { adminPassword: null, databaseUrl: null, host: undefined, logLevel: undefined };
  const controller = await startTestController(given);
  const { caFile } = controller;
  const dispose = () => controller[Symbol.asyncDispose]();
  await Promise.all([controller.restart(), controller.restart(), dispose(), dispose()]);
  expect(existsSync(caFile)).toBe(false);
  await expect(controller.restart()).rejects.toThrow('was stopped');
  expect(existsSync(caFile)).toBe(false);
});

it('starts quickly, several at once, each with data of its own', async () => {
  const startedAt = performance.now();
  await using first = await startTestController();
  const time = performance.now() - startedAt;
  console.log(`a test controller is ready after ${time.toFixed(0)} ms`);
  // A free machine needs a tenth of this.
  expect(time).toBeLessThan(2_000);
  const [second, third] = await Promise.all([startTestController(), startTestController({ sessionTimeout: 90_000 })]);
  await using _second = second;
  await using _third = third;
  await first.createIdentity({ name: 'only here' });
  const names = async ({ admin }: TestController) =>
    (await admin.management.identities.list()).data.map(({ name }) => name);
  expect((await names(first)).sort()).toEqual(['Default Admin', 'only here']);
  expect(await names(second)).toEqual(['Default Admin']);
  expect(third.admin.session?.expirationSeconds).toBe(90);
});

it.each(storePairs)(
  'keeps data in $stores and in a given directory, and always has an administrator',
  async ({ open }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-kept-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const { databaseUrl = null, redisUrl = null } = await open();
    const options: TestControllerOptions = { dataDir, databaseUrl, redisUrl };
    const { id, username, password } = await (async () => {
      await using controller = await startTestController(options);
      return await controller.createIdentity();
    })();
    await using controller = await startTestController(options);
    expect((await controller.admin.management.identities.get(id)).name).toBe(username);
    const edge = controller.client();
    await edge.signIn.password({ username, password });
    expect(existsSync(join(dataDir, 'pki', 'ca.pem'))).toBe(true);
  },
);

/** Runs an ES module in a process of its own, with options of Node. */
async function run(source: string, ...options: string[]) {
  const args = ['--conditions=source', ...options, '--input-type=module', '--eval', source];
  const env = { ...process.env, NODE_COMPILE_CACHE: inject('compileCache') };
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

it('leaves nothing behind after its disposal: the process ends by itself, and no data stays', async () => {
  const { stdout, stderr, code } = await run(`
    import { existsSync } from 'node:fs';
    import { startTestController } from '@edge-controller/sdk/testing';
    const controller = await startTestController();
    const issuer = await controller.jwtIssuer();
    const { authPolicyId } = issuer;
    const { id } = await controller.createIdentity({ authPolicyId });
    const edge = controller.client();
    await edge.signIn.extJwt({ token: issuer.sign({ sub: id }) });
    const existed = existsSync(controller.caFile);
    await controller[Symbol.asyncDispose]();
    console.log(existed, existsSync(controller.caFile));
  `);
  expect([stderr, stdout, code]).toEqual(['', 'true false\n', 0]);
});

it('says what to install when the package of the controller is missing', async () => {
  const { stdout, code } = await run(`
    import { registerHooks } from 'node:module';
    const parentURL = 'file:///an-application/main.js';
    registerHooks({
      resolve: (name, context, next) =>
        next(name, name === '@edge-controller/server' ? { ...context, parentURL } : context),
    });
    const { startTestController } = await import('@edge-controller/sdk/testing');
    await startTestController().catch(({ message }) => console.log(message));
  `);
  expect([stdout, code]).toEqual([
    'startTestController needs the package @edge-controller/server: npm install --save-dev @edge-controller/server\n',
    0,
  ]);
});

it.each([
  ["await import('@edge-controller/sdk/testing')"],
  // What a `require` of the package loads.
  ["createRequire(process.cwd() + '/x.js')('../../../sdk/src/testing/index.ts')"],
])('on a Node that is too old, says which one it needs before it loads a database: %s', async (load) => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const { stdout, stderr, code } = await run(
    `
      import { createRequire, registerHooks } from 'node:module';
      registerHooks({
        resolve: (name, context, next) =>
          name === '@edge-controller/server' ? console.log('loaded') : next(name, context),
      });
      const { startTestController } = ${load};
      await startTestController().catch(({ message }) => console.log(message));
    `,
    '--import',
    `data:text/javascript,${encodeURIComponent(older)}`,
  );
  const needed = manifest.engines.node.replace('>=', '');
  expect([stderr, stdout, code]).toEqual([
    ...['', `startTestController needs Node ${needed} or newer; this is Node 20.20.2\n`, 0],
  ]);
});
