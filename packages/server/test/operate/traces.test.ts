import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { freePort } from '../support/free-port.ts';
import { json } from '../support/json-provider.ts';
import { addIssuer, createJwtIssuer } from '../support/jwt-issuer.ts';
import type { CollectedSpan } from '../support/trace-collector.ts';
import { startTraceCollector } from '../support/trace-collector.ts';

const hex = (bytes: number) => randomBytes(bytes).toString('hex');
const childrenOf = (spans: readonly CollectedSpan[], { spanId }: CollectedSpan) =>
  spans.filter(({ parentSpanId }) => parentSpanId === spanId);

describe.each(storePairs)('traces on $stores', ({ open }) => {
  it('show a request below the span that has sent it, and what it did below that', async () => {
    await using collector = await startTraceCollector();
    const server = await startController({ ...(await open()), tracesUrl: collector.url });
    const token = await server.signIn();
    const [traceId, spanId] = [hex(16), hex(8)];
    const headers = { traceparent: `00-${traceId}-${spanId}-01` };
    const path = '/edge/management/v1/identities';
    expect((await server.wire('GET', `${path}?filter=true`, { token, headers })).status).toBe(200);
    expect((await server.wire('GET', `${path}/a-missing-one`, { token, headers })).status).toBe(404);
    // What is left is sent at the end.
    await server[Symbol.asyncDispose]();

    const ofTrace = collector.spans.filter((span) => span.traceId === traceId);
    const [list, detail] = ofTrace.filter(({ parentSpanId }) => parentSpanId === spanId);
    expect(list).toMatchObject({
      name: `GET ${path}`,
      attributes: { 'http.route': path, 'edge.operation': 'listIdentities', 'http.response.status_code': 200 },
    });
    expect(detail).toMatchObject({
      name: `GET ${path}/{id}`,
      failed: false,
      attributes: { 'error.type': 'NOT_FOUND' },
    });
    const names = childrenOf(ofTrace, list!).map(({ name }) => name);
    expect(names).toContain('sessions touch');
    expect(names).toContain('SELECT');
    const touch = ofTrace.find(({ name }) => name === 'sessions touch');
    const system = server.options.redisUrl ? 'redis' : 'sqlite';
    expect(touch?.attributes).toEqual({ 'db.system.name': system, 'db.operation.name': 'touch' });
    expect(collector.service).toBe('edge-controller');

    const signIn = collector.spans.find(({ name }) => name === 'POST /edge/management/v1/authenticate');
    expect(childrenOf(collector.spans, signIn!).map(({ name }) => name)).toContain('hash password');
    // Every request begins a trace, and none belongs to another one.
    expect(signIn?.traceId).not.toBe(traceId);
    const secrets = [adminCredentials.password, token, 'a-missing-one', 'filter=true'];
    expect(secrets.filter((secret) => collector.text.includes(secret))).toEqual([]);
  });

  it('go on from the SDK to the controller and from there to the provider of a signer', async () => {
    await using collector = await startTraceCollector();
    await using issuer = await createJwtIssuer();
    let received: IncomingHttpHeaders = {};
    issuer.serve((request, response) => {
      received = request.headers;
      json({ keys: issuer.keys.map(({ jwk }) => jwk) })(request, response);
    });
    const server = await startController({ ...(await open()), tracesUrl: collector.url });
    const admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
    const sub = randomUUID();
    await addIdentity(server, admin, { externalId: sub, authPolicyId });
    await addIssuer(server, admin, issuer);
    const jwt = issuer.sign({ sub });
    const traceId = hex(16);
    const edge = createEdgeClient(server.url, {
      caFile: server.caFile,
      traceparent: () => `00-${traceId}-${hex(8)}-01`,
    });
    await edge.signIn.extJwt({ getToken: () => jwt });
    await server[Symbol.asyncDispose]();

    const fetched = collector.spans.find(({ name }) => name === 'fetch JWKS');
    expect(fetched?.traceId).toBe(traceId);
    expect(received.traceparent).toBe(`00-${traceId}-${fetched?.spanId}-01`);
    expect(collector.text).not.toContain(jwt.split('.')[2]);
  });
});

describe('traces', () => {
  it('are not made of requests whose trace is not sampled, nor of more than the settings say', async () => {
    await using collector = await startTraceCollector();
    const server = await startController({ tracesUrl: collector.url, tracesRatio: 0 });
    await server.wire('GET', '/version', { headers: { traceparent: `00-${hex(16)}-${hex(8)}-01` } });
    await server[Symbol.asyncDispose]();
    const other = await startController({ tracesUrl: collector.url });
    await other.wire('GET', '/version', { headers: { traceparent: `00-${hex(16)}-${hex(8)}-00` } });
    await other.wire('GET', '/version', { headers: { traceparent: 'no trace context' } });
    await other[Symbol.asyncDispose]();
    expect(collector.spans.map(({ name, parentSpanId }) => [name, parentSpanId || undefined])).toEqual([
      ['GET /edge/client/v1/version', undefined],
    ]);
  });

  it('stop nothing when nobody takes them, and the log says so once', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
    const tracesUrl = `http://127.0.0.1:${await freePort()}/v1/traces`;
    const server = await startController({ tracesUrl, log });
    await server.signIn();
    await server[Symbol.asyncDispose]();
    expect(lines.filter((line) => line.includes('traces cannot be sent'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"traceId":"'))).toHaveLength(1);
  });
});

it('a page of an allowed origin may send a trace context', async () => {
  const origin = 'https://app.example.org';
  await using server = await startController({ corsOrigins: [origin] });
  const preflight = await server.wire('OPTIONS', '/edge/client/v1/version', {
    headers: {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'traceparent,tracestate',
    },
  });
  expect(preflight.headers['access-control-allow-headers']).toContain('traceparent');
});
