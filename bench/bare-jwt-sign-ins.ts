// The baseline of sign-ins with an external JWT: a plain Koa that verifies the token with jose and stores an API session. It
// responds with the headers and bytes of a real sign-in.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { importJWK, jwtVerify } from 'jose';
import Koa from 'koa';
import { tlsOptions } from '../packages/server/src/http/tls-options.ts';
import { openSqliteSessionStore } from '../packages/server/src/storage/session-store/sqlite/session-store.ts';

const { BENCH_DATA = '', BENCH_KEY = '', BENCH_CERT = '', BENCH_JWK = '{}', BENCH_BODY = '' } = process.env;
const headers: Record<string, string> = JSON.parse(process.env.BENCH_HEADERS ?? '{}');
const jwk = JSON.parse(BENCH_JWK);
const key = await importJWK(jwk, jwk.alg);
const sessions = await openSqliteSessionStore({ file: BENCH_DATA, timeout: 1_800_000, clock: Date.now });

const app = new Koa();
app.use(async (ctx) => {
  const { payload } = await jwtVerify(ctx.get('authorization').slice('Bearer '.length), key, { audience: 'edge' });
  const now = Date.now();
  await sessions.create({
    ...{ id: randomUUID(), tokenHash: randomUUID(), sealedToken: randomUUID(), identityId: payload.sub ?? '' },
    ...{ authenticatorId: 'signer', credentialVersion: 0, method: 'ext-jwt', ipAddress: ctx.ip, configTypes: [] },
    ...{ createdAt: now, updatedAt: now, caId: null, caVersion: 0, signerId: 'signer', signerVersion: 0 },
    ...{ isCertExtendable: false, improperClientCertChain: false, isMfaRequired: false, isMfaComplete: false },
    mfaId: null,
    mfaPassedAt: null,
    tokenReadBy: null,
    usesRouters: false,
    endsAt: null,
  });
  ctx.set(headers);
  ctx.body = BENCH_BODY;
});

const pem = { key: readFileSync(BENCH_KEY, 'utf8'), cert: readFileSync(BENCH_CERT, 'utf8') };
const server = createServer(tlsOptions(pem), app.callback());
server.maxRequestsPerSocket = 1_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `https://127.0.0.1:${(server.address() as { port: number }).port}` });
});
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }));
