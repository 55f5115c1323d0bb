import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import { becomeReplica } from '../support/fail-over.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis, startPrivateRedis } from '../support/redis.ts';

interface Scene {
  readonly server: TestController;
  readonly admin: string;
  readonly policyId: string;
}

async function setScene(server: TestController): Promise<Scene> {
  const admin = await server.signIn();
  const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
  return { server, admin, policyId: await addPolicy(server, admin, { name: 'tokens', primary }) };
}

async function addPerson({ server, admin, policyId }: Scene) {
  const externalId = randomUUID();
  return { id: await addIdentity(server, admin, { externalId, authPolicyId: policyId }), externalId };
}

async function change({ server, admin }: Scene, verb: string, path: string, body?: object) {
  const answer = await server.wire(verb, path, { token: admin, body });
  expect(answer.status, answer.text).toBe(200);
}

const signIn = async ({ wire }: TestController, jwt: string) => {
  const { status, body } = await wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) });
  expect([200, 401]).toContain(status);
  return body.data?.token as string | undefined;
};

async function statusOf({ wire }: TestController, token: string): Promise<number> {
  for (;;) {
    const { status } = await wire('GET', '/edge/client/v1/current-api-session', { token });
    if (status !== 503) return status;
    await delay(10);
  }
}

const optionsFor = (databaseUrl: string, redisUrl: string) => ({ databaseUrl, redisUrl, sealKey: Buffer.alloc(32, 7) });

it('a signer that one controller disables, changes or deletes leaves no sign-in at another one', async () => {
  const options = optionsFor(await freshDatabase(inject('postgresUrl')), await freshRedis(inject('redisUrl')));
  await using first = await startController(options);
  await using second = await startController(options);
  const scene = await setScene(first);
  await using issuer = await createJwtIssuer();
  const { externalId: sub } = await addPerson(scene);
  const jwt = await issuer.sign({ sub });
  for (const [verb, body] of [
    ['PATCH', { enabled: false }],
    ['PATCH', { issuer: 'https://else.example' }],
    ['DELETE', undefined],
  ] as const) {
    for (const wait of [0, 10, 25]) {
      const signer = `${signersPath}/${await addIssuer(first, scene.admin, issuer)}`;
      const signIns = Array.from({ length: 50 }, () => signIn(second, jwt));
      await delay(wait);
      await change(scene, verb, signer, body);
      expect(await signIn(second, jwt)).toBeUndefined();
      const opened = (await Promise.all(signIns)).flatMap((token) => token ?? []);
      const statuses = await Promise.all(opened.flatMap((token) => [statusOf(first, token), statusOf(second, token)]));
      expect(statuses).not.toContain(200);
      if (verb === 'PATCH') await change(scene, 'DELETE', signer);
    }
  }
});

it('accepts no API session of a JWT after a fail-over of Redis to a replica that missed its end', async () => {
  await using primary = await startPrivateRedis();
  await using replica = await startPrivateRedis();
  await using proxy = await startFaultProxy(primary.port);
  const options = optionsFor(await freshDatabase(inject('postgresUrl')), `redis://127.0.0.1:${proxy.port}`);
  await using first = await startController(options);
  await using second = await startController(options);
  const scene = await setScene(first);
  const issuers: JwtIssuer[] = [];
  const open = async () => {
    const issuer = await createJwtIssuer();
    issuers.push(issuer);
    const signer = `${signersPath}/${await addIssuer(first, scene.admin, issuer)}`;
    const person = await addPerson(scene);
    const token = (await signIn(second, await issuer.sign({ sub: person.externalId }))) ?? '';
    for (const server of [first, second]) expect(await statusOf(server, token)).toBe(200);
    return { issuer, signer, person, token };
  };
  const [disabled, renamed, deleted, moved, kept] = [
    await open(),
    await open(),
    await open(),
    await open(),
    await open(),
  ];
  await becomeReplica(replica, primary);
  await change(scene, 'PATCH', disabled.signer, { enabled: false });
  await change(scene, 'PATCH', disabled.signer, { enabled: true });
  await change(scene, 'PATCH', renamed.signer, { issuer: 'https://else.example' });
  await change(scene, 'PATCH', renamed.signer, { issuer: renamed.issuer.issuer });
  await change(scene, 'DELETE', deleted.signer);
  const identity = `/edge/management/v1/identities/${moved.person.id}`;
  await change(scene, 'PATCH', identity, { externalId: 'somebody else' });
  await change(scene, 'PATCH', identity, { externalId: moved.person.externalId });
  proxy.switchTarget(replica.port);
  proxy.reset();
  const ended = [disabled, renamed, deleted, moved];
  const statuses = await Promise.all(ended.flatMap(({ token }) => [statusOf(first, token), statusOf(second, token)]));
  expect(statuses).toEqual(statuses.map(() => 401));
  expect([await statusOf(first, kept.token), await statusOf(second, kept.token)]).toEqual([200, 200]);
  await Promise.all(issuers.map((issuer) => issuer[Symbol.asyncDispose]()));
});
