import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { createController, createLogger } from '../../src/index.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { metricNames, readMetrics } from '../support/metrics.ts';
import { startPrivateRedis } from '../support/redis.ts';
import { enrollTotp } from '../support/totp.ts';

const operationsBind = '127.0.0.1:0';
/** For a busy machine. */
const patience = { timeout: 20_000 };

async function get(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init);
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

describe.each(storePairs)('the operations listener on $stores', ({ open }) => {
  it('says that the controller lives, that it can serve, and what its stores answer', async () => {
    await using server = await startController({ ...(await open()), operationsBind });
    const at = (path: string, init?: RequestInit) => get(server.operationsUrl + path, init);
    expect(await at('/livez')).toMatchObject({ status: 200, text: 'ok\n' });
    expect(await at('/readyz')).toMatchObject({ status: 200, text: 'controller: ok\nentities: ok\nsessions: ok\n' });
    const { status, type, text } = await at('/health-checks');
    expect([status, type]).toEqual([200, 'application/json']);
    const check = {
      healthy: true,
      lastCheckDuration: expect.stringMatching(/^[\d.]+ms$/),
      lastCheckTime: expect.any(String),
    };
    expect(JSON.parse(text)).toEqual({
      data: {
        healthy: true,
        checks: [
          { ...check, id: 'entities' },
          { ...check, id: 'sessions' },
        ],
      },
      meta: {},
    });
    expect(await at('/readyz', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await at('/readyz', { method: 'POST', body: 'x'.repeat(100_000) })).status).toBe(405);
    expect(await at('/edge/client/v1/version')).toMatchObject({
      status: 404,
      text: expect.stringContaining('/metrics'),
    });
  });

  it('counts requests, sign-ins, second factors, sessions, stores and password hashes', async () => {
    await using server = await startController({ ...(await open()), operationsBind });
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    await edge.management.identities.list();
    await expect(edge.management.identities.get('missing')).rejects.toThrow();
    await expect(edge.signIn.password({ ...adminCredentials, password: 'a wrong password' })).rejects.toThrow();
    await server.addUser(await server.signIn());
    await server.wire('GET', '/no-such-path');
    await edge.signOut();
    // A response is counted when its connection has it.
    const seen = await expect
      .poll(() => readMetrics(server.operationsUrl), patience)
      .toSatisfy((metrics: ReadonlyMap<string, number>) => metrics.get('edge_api_sessions_ended_total') === 1)
      .then(() => readMetrics(server.operationsUrl));

    const of = (api: string, operation: string, status: string) =>
      seen.get(`edge_requests_total{api="${api}",operation="${operation}",status="${status}"}`);
    expect(of('management', 'listIdentities', '2xx')).toBe(1);
    expect(of('management', 'detailIdentity', '4xx')).toBe(1);
    expect(of('none', 'none', '4xx')).toBe(1);
    expect(seen.get('edge_request_duration_seconds_count{api="management",operation="listIdentities"}')).toBe(1);
    expect(
      seen.get('edge_request_duration_seconds_bucket{api="management",operation="listIdentities",le="+Inf"}'),
    ).toBe(1);
    expect(seen.get('edge_request_errors_total{code="NOT_FOUND"}')).toBe(2);
    expect(seen.get('edge_sign_ins_total{method="password",outcome="success"}')).toBe(2);
    expect(seen.get('edge_sign_ins_total{method="password",outcome="failure"}')).toBe(1);
    expect(seen.get('edge_sign_ins_total{method="cert",outcome="success"}')).toBe(0);
    expect(seen.get('edge_enrollments_total{method="updb"}')).toBe(1);
    expect(seen.get('edge_entity_changes_total{entity="identity",change="created"}')).toBeGreaterThanOrEqual(1);
    expect(seen.get('edge_entities{entity="identities"}')).toBeGreaterThanOrEqual(1);
    expect(seen.get('edge_password_hash_duration_seconds_count')).toBeGreaterThanOrEqual(4);
    expect(seen.get('edge_attempts_total{outcome="admitted"}')).toBeGreaterThanOrEqual(3);
    expect(seen.get('edge_store_up{store="sessions"}')).toBe(1);
    const system = server.options.redisUrl ? 'redis' : 'sqlite';
    const touches = `edge_store_operation_duration_seconds_count{store="sessions",system="${system}",operation="touch"}`;
    expect(seen.get(touches)).toBeGreaterThanOrEqual(3);
    const sql = server.options.databaseUrl ? 'postgres' : 'sqlite';
    const selects = `edge_sql_statement_duration_seconds_count{system="${sql}",statement="select"}`;
    expect(seen.get(selects)).toBeGreaterThan(0);
  });

  it('names at least forty metrics, none of them twice, with their units', async () => {
    await using server = await startController({ ...(await open()), operationsBind });
    const names = await metricNames(server.operationsUrl);
    expect(new Set(names).size).toBe(names.length);
    const own = names.filter((name) => name.startsWith('edge_'));
    expect(own.length).toBeGreaterThanOrEqual(40);
    const text = await (await fetch(`${server.operationsUrl}/metrics`)).text();
    const typeOf = (name: string) => new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)?.[1];
    expect(own.filter((name) => (typeOf(name) === 'counter') !== name.endsWith('_total'))).toEqual([]);
    expect(own.filter((name) => typeOf(name) === 'histogram' && !name.endsWith('_seconds'))).toEqual([]);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds']) expect(names).toContain(name);
  });
});

describe('the operations listener', () => {
  it('is not ready while a store does not work, and is again when it does', async () => {
    await using redis = await startPrivateRedis();
    await using server = await startController({ redisUrl: redis.url, operationsBind });
    const ready = () => get(`${server.operationsUrl}/readyz`);
    expect((await ready()).status).toBe(200);
    redis.pause();
    await expect.poll(ready, patience).toMatchObject({ status: 503, text: /sessions: cannot be used/ });
    expect((await get(`${server.operationsUrl}/health-checks`)).status).toBe(503);
    expect((await readMetrics(server.operationsUrl)).get('edge_store_up{store="sessions"}')).toBe(0);
    expect((await get(`${server.operationsUrl}/livez`)).status).toBe(200);
    redis.resume();
    await expect.poll(ready, patience).toMatchObject({ status: 200 });
  });

  it('is not ready while the controller completes the requests that have begun', async () => {
    await using server = await startController({ operationsBind });
    const ca = readFileSync(server.caFile);
    const socket = connectTls({ host: 'localhost', port: Number(new URL(server.url).port), ca });
    await once(socket, 'secureConnect');
    const head = 'POST /edge/client/v1/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{`);
    await expect
      .poll(async () => (await readMetrics(server.operationsUrl)).get('edge_http_connections'), patience)
      .toBe(1);
    const closed = server.controller.close();
    const state = await get(`${server.operationsUrl}/readyz`);
    expect(state).toMatchObject({ status: 503, text: 'controller: not serving\n' });
    expect((await get(`${server.operationsUrl}/livez`)).status).toBe(200);
    expect((await readMetrics(server.operationsUrl)).get('edge_serving')).toBe(0);
    socket.destroy();
    await closed;
    await expect(fetch(`${server.operationsUrl}/livez`)).rejects.toThrow();
  });

  it('is not there, and nothing is counted, unless the settings ask for it', async () => {
    await using server = await startController();
    expect(server.operationsUrl).toMatch(/:null$/);
  });

  it('says which address it cannot have, and how to mend that', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const bind = `127.0.0.1:${port}`;
    const dataDir = mkdtempSync(join(tmpdir(), 'edge-operations-'));
    const controller = await createController({
      port: 0,
      dataDir,
      operationsBind: bind,
      log: createLogger({ level: 'silent' }),
    });
    await expect(controller.listen()).rejects.toMatchObject({
      problems: [{ setting: 'operationsBind', message: expect.stringContaining(bind), kind: 'unusable' }],
    });
    await controller.close();
    rmSync(dataDir, { recursive: true });
    taken.close();
  });
});

it('counts the codes of second factors, and what the limit by address refuses', async () => {
  await using server = await startController({ operationsBind, signInRate: 5, signInBurst: 5 });
  const { totp } = await enrollTotp(server.wire, await server.signIn());
  const token = await server.signIn();
  await server.wire('POST', '/edge/client/v1/authenticate/mfa', { token, body: { code: totp.wrong() } });
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
      body: { username: 'a', password: 'b' },
    });
  }
  const seen = await readMetrics(server.operationsUrl);
  expect(seen.get('edge_mfa_enrollments_total')).toBe(1);
  expect(seen.get('edge_second_factors_total{kind="any",outcome="wrong"}')).toBe(1);
  expect(seen.get('edge_attempts_total{outcome="refused"}')).toBeGreaterThanOrEqual(1);
  expect(seen.get('edge_request_errors_total{code="SERVER_TOO_MANY_REQUESTS"}')).toBeGreaterThanOrEqual(1);
});
