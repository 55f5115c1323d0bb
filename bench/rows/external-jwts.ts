import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { Server as HttpServer } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { HttpResponse } from '../call.ts';
import { call, credentials, sessionPath, signInPath } from '../call.ts';
import type { JwtFile } from '../load.ts';
import { inRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import type { Server } from '../servers.ts';
import { ownHeaders } from '../servers.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

const [audience, kid, alg] = ['edge', 'key of the bench', 'ES256'];
/** More than the controller remembers, so that it verifies the signature of each. */
const jwtCount = 40_000;
const management = '/edge/management/v1';
const jwtSignIn = { path: '/edge/client/v1/authenticate?method=ext-jwt', connections: 16, body: '{}' };

/** Sign-ins with a JWT of a signer with a JWKS endpoint. */
export const jwtSignIns: Row = async (bench) => {
  const controller = await bench.servers.sqlite();
  await using signer = await registerSigner(controller);
  const { jwt } = signer;
  const answer = await call(controller.url + jwtSignIn.path, { body: jwtSignIn.body, jwt });
  const bare = await startBare(bench, signer.jwk, answer);
  const jwts = await writeJwts(bench, signer);
  const results = await inRounds(
    [
      underLoad('jose.jwtVerify and one session', bare, { ...jwtSignIn, jwt: jwts }),
      underLoad('controller on SQLite', controller, { ...jwtSignIn, jwt: jwts }),
    ],
    bench,
  );
  printTable('sign-ins with an external JWT (ES256), another one each time, 16 connections', results);
};

/** What the JWT of a policy costs that every request must bring. */
export const secondaryJwts: Row = async (bench) => {
  const controller = await bench.servers.sqlite();
  await using signer = await registerSigner(controller);
  const secondary = { requireTotp: false, requireExtJwtSigner: signer.signerId };
  const authPolicyId = await addPolicy(controller, { name: 'secondary', secondary });
  const user = await addUser(controller, { authPolicyId, externalId: 'secondary' });
  const jwt = await signer.sign('secondary');
  const answer = await call(controller.url + signInPath, { body: user, jwt });
  const withJwt = { ...controller, token: JSON.parse(answer.text).data.token };
  const requests = { path: sessionPath, connections: 32 };
  const results = await inRounds(
    [
      underLoad('session checks', controller, requests),
      underLoad('session checks with a secondary JWT', withJwt, { ...requests, jwt }),
    ],
    bench,
  );
  printTable('session checks with a secondary JWT (ES256), SQLite, 32 connections', results);
};

/** Signs JWTs of one person. They differ in their `jti`. */
async function writeJwts({ processes }: Bench, { subject, sign }: RegisteredSigner): Promise<JwtFile> {
  const path = join(processes.directory, 'jwts.txt');
  const lines: string[] = [];
  for (let at = 0; at < jwtCount; at += 1) lines.push(await sign(subject, String(at)));
  writeFileSync(path, lines.join('\n'));
  return { path, count: jwtCount };
}

interface RegisteredSigner extends AsyncDisposable {
  readonly signerId: string;
  readonly jwk: JWK;
  /** Of an identity that may sign in. */
  readonly jwt: string;
  readonly subject: string;
  sign(subject: string, jti?: string): Promise<string>;
}

async function registerSigner(controller: Server): Promise<RegisteredSigner> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg };
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const name = `bench ${randomUUID()}`;
  const issuer = `https://issuer.example/${name}`;
  const signerId = await create(controller, 'external-jwt-signers', {
    ...{ name, issuer, audience, enabled: true, useExternalId: true },
    jwksEndpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  });
  const sign = (sub: string, jti = '') =>
    new SignJWT({ iss: issuer, aud: audience, sub, jti })
      .setProtectedHeader({ alg, kid })
      .setExpirationTime('2h')
      .sign(privateKey);
  const extJwt = { allowed: true, allowedSigners: [signerId] };
  const authPolicyId = await addPolicy(controller, { name, extJwt });
  await create(controller, 'identities', { name, type: 'User', isAdmin: false, externalId: name, authPolicyId });
  return { signerId, jwk, jwt: await sign(name), subject: name, sign, [Symbol.asyncDispose]: () => close(server) };
}

async function startBare({ processes }: Bench, jwk: JWK, answer: HttpResponse): Promise<Server> {
  const pki = join(processes.directory, 'sqlite/pki');
  const child = await processes.start(join(import.meta.dirname, '../bare-jwt-sign-ins.ts'), {
    BENCH_DATA: join(processes.directory, 'bare-jwt-sign-ins.db'),
    BENCH_KEY: join(pki, 'server.key'),
    BENCH_CERT: join(pki, 'server.pem'),
    BENCH_JWK: JSON.stringify(jwk),
    BENCH_BODY: answer.text,
    BENCH_HEADERS: JSON.stringify(ownHeaders(answer)),
  });
  return {
    url: (child.ready as { url: string }).url,
    token: '',
    async cpu() {
      const { cpu } = (await child.ask('cpu')) as { cpu: NodeJS.CpuUsage };
      return cpu.user + cpu.system;
    },
    peakMemory: () => Promise.reject(new Error('nobody asks for it')),
  };
}

interface PolicyMembers {
  readonly name: string;
  readonly extJwt?: object;
  readonly secondary?: object;
}

function addPolicy(controller: Server, { name, extJwt, secondary }: PolicyMembers): Promise<string> {
  const updb = {
    ...{ allowed: true, minPasswordLength: 8, requireSpecialChar: false, requireNumberChar: false },
    ...{ requireMixedCase: false, maxAttempts: 0, lockoutDurationMinutes: 0 },
  };
  const cert = { allowed: true, allowExpiredCerts: false };
  return create(controller, 'auth-policies', {
    name,
    primary: { cert, updb, extJwt: extJwt ?? { allowed: false, allowedSigners: [] } },
    secondary: secondary ?? { requireTotp: false },
  });
}

/** Creates an identity with a password; returns the body of its sign-in. */
async function addUser(controller: Server, members: object): Promise<string> {
  const { password } = JSON.parse(credentials) as { password: string };
  const username = `user ${randomUUID()}`;
  const identity = { name: username, type: 'User', isAdmin: false, ...members };
  const identityId = await create(controller, 'identities', identity);
  await create(controller, 'authenticators', { method: 'updb', identityId, username, password });
  return JSON.stringify({ username, password });
}

async function create({ url, token }: Server, collection: string, body: object): Promise<string> {
  const { text } = await call(`${url}${management}/${collection}`, { token, body: JSON.stringify(body) });
  return JSON.parse(text).data.id;
}

function close(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
