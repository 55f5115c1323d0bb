import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import type { JwtIssuer } from '../support/jwt-issuer.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const passwordSignIn = jwtSignIn.replace('ext-jwt', 'password');
const redirectTo =
  (location: string): Respond =>
  (_, response) =>
    void response.writeHead(302, { location }).end();
const metadata = ['169.254.169.254', '[::ffff:169.254.169.254]', '[fd00:ec2::254]', '2852039166', '0'];

/** Sends JSON without end, as fast as it is read, and counts the bytes. */
function endless() {
  const counted = { bytes: 0 };
  const respond: Respond = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = ' '.repeat(65_536);
    const write = () => {
      if (response.destroyed) return;
      if (counted.bytes > 100 * 1024 ** 2) {
        response.end();
        return;
      }
      counted.bytes += chunk.length;
      if (response.write(chunk)) setImmediate(write);
      else response.once('drain', write);
    };
    response.once('close', () => response.destroy());
    write();
  };
  return { counted, respond };
}

describe.each(storePairs)('providers of JWKs on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;
  let sub: string;

  const signIn = (token: string) => server.wire('POST', jwtSignIn, { body: {}, headers: bearer(token) });
  const statusOf = async (token: string) => (await signIn(token)).status;
  const hostile = async (respond: Respond) => {
    const issuer = await createJwtIssuer();
    issuer.serve(respond);
    return { issuer, signerId: await addIssuer(server, admin, issuer), token: await issuer.sign({ sub }) };
  };
  /** Why the key of a token was not found, as an administrator sees it. */
  const reasonOf = async (signerId: string, token: string): Promise<string> => {
    const answer = await server.wire('POST', `${signersPath}/${signerId}/test`, { token: admin, body: { token } });
    return answer.body.data.checks.find(({ check }: { check: string }) => check === 'key').received;
  };
  const untilSignedIn = async (token: string) => {
    const start = performance.now();
    while ((await statusOf(token)) !== 200) {
      if (performance.now() - start > 10_000) throw new Error('the key was never found');
      await delay(50);
    }
    return performance.now() - start;
  };

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
    sub = randomUUID();
    await addIdentity(server, admin, { externalId: sub, authPolicyId });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('a new key counts within one pause, a known one all the time, and a removed one not any more', async () => {
    await using issuer = await createJwtIssuer();
    await addIssuer(server, admin, issuer);
    const first = issuer.keys[0];
    const known = await issuer.sign({ sub }, {}, first);
    expect(await statusOf(known)).toBe(200);
    await delay(1_100);
    // Published and used at once.
    const second = await issuer.addKey();
    const known200 = (async () => {
      const statuses = new Set<number>();
      for (let at = 0; at < 40; at += 1) statuses.add(await statusOf(known));
      return [...statuses];
    })();
    expect(await untilSignedIn(await issuer.sign({ sub }, {}, second))).toBeLessThan(1_000);
    expect(await known200).toEqual([200]);
    // Used before the pause is over.
    const third = await issuer.addKey();
    expect(await untilSignedIn(await issuer.sign({ sub }, {}, third))).toBeLessThan(2_000);
    expect(await statusOf(known)).toBe(200);
    // The provider removes the first key with the next rotation.
    issuer.keys.splice(issuer.keys.indexOf(first as never), 1);
    await delay(1_100);
    expect(await untilSignedIn(await issuer.sign({ sub }, {}, await issuer.addKey()))).toBeLessThan(2_000);
    expect(await statusOf(known)).toBe(401);
    expect(await statusOf(await issuer.sign({ sub }, {}, third))).toBe(200);
  });

  it('known keys stay in use while the provider fails', async () => {
    await using issuer = await createJwtIssuer();
    await addIssuer(server, admin, issuer);
    const token = await issuer.sign({ sub });
    expect(await statusOf(token)).toBe(200);
    await delay(1_100);
    issuer.serve((_, response) => void response.writeHead(500).end());
    expect(await statusOf(await issuer.sign({ sub }, { kid: 'unknown' }))).toBe(401);
    expect(await statusOf(token)).toBe(200);
  });

  it.each(metadata)('a redirect to %s is not followed', async (host) => {
    const { issuer, signerId, token } = await hostile(redirectTo(`http://${host}/latest/meta-data/`));
    await using _ = issuer;
    const start = performance.now();
    expect(await statusOf(token)).toBe(401);
    expect(performance.now() - start).toBeLessThan(1_500);
    expect(await reasonOf(signerId, token)).toMatch(/link-local|metadata|unspecified/);
  });

  it('a body of 100 MB is not read', async () => {
    const { counted, respond } = endless();
    const { issuer, signerId, token } = await hostile(respond);
    await using _ = issuer;
    expect(await statusOf(token)).toBe(401);
    expect(await reasonOf(signerId, token)).toContain('more than 1024 KiB');
    // What the buffers of both sockets take in is written, too.
    expect(counted.bytes).toBeLessThan(16 * 1024 ** 2);
  });

  it('other kids on each call lead to few calls, whoever asks for them', async () => {
    let made = 0;
    const { issuer } = await hostile((_, response) => {
      made += 1;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ keys: [{ ...issuer.keys[0]?.jwk, kid: `kid ${made}` }] }));
    });
    await using _ = issuer;
    const kids = await Promise.all(Array.from({ length: 60 }, (_, at) => issuer.sign({ sub }, { kid: `wrong ${at}` })));
    const start = performance.now();
    expect(new Set(await Promise.all(kids.map(statusOf)))).toEqual(new Set([401]));
    for (const token of kids) await statusOf(token);
    const seconds = (performance.now() - start) / 1_000;
    expect(issuer.fetches).toBeLessThanOrEqual(2 + seconds);
  });

  it('hostile providers delay nobody else', async () => {
    await using good = await createJwtIssuer();
    await addIssuer(server, admin, good);
    const hanging = await hostile(() => undefined);
    const dripping = await hostile((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    });
    const others = [
      await hostile(redirectTo('http://169.254.169.254/')),
      await hostile((request, response) => redirectTo(request.url ?? '/')(request, response)),
      await hostile(endless().respond),
      await hostile((_, response) => void response.socket?.destroy()),
      await hostile((_, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(`{"keys":${'['.repeat(100_000)}`);
      }),
    ];
    const all = [hanging, dripping, ...others];
    const start = performance.now();
    const refused = all.flatMap(({ token }) => Array.from({ length: 10 }, () => statusOf(token)));
    let isWaiting = true;
    const answers = Promise.all(refused).finally(() => {
      isWaiting = false;
    });
    const token = await good.sign({ sub });
    let servedMeanwhile = 0;
    for (let round = 0; round < 10; round += 1) {
      expect(await statusOf(token)).toBe(200);
      expect((await server.wire('POST', passwordSignIn, { body: adminCredentials })).status).toBe(200);
      if (isWaiting) servedMeanwhile += 1;
    }
    // They were served while the slow providers still kept their own callers waiting. A busy machine may serve fewer of them in this time.
    expect(servedMeanwhile).toBeGreaterThan(2);
    expect(new Set(await answers)).toEqual(new Set([401]));
    const first = performance.now() - start;
    // In the pause nobody waits for them.
    const again = performance.now();
    expect(await Promise.all(all.map(({ token: late }) => statusOf(late)))).not.toContain(200);
    for (const { issuer } of all) expect(issuer.fetches).toBeLessThan(25);
    expect(performance.now() - again).toBeLessThan(1.3 * first);
    await Promise.all(all.map(({ issuer }: { issuer: JwtIssuer }) => issuer[Symbol.asyncDispose]()));
  });
});
