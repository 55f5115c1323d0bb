import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { adminCredentials, startController } from '../support/controller.ts';
import { takeUnlisted } from '../support/observe-responses.ts';
import { checkResponse, readReference } from './reference/check-response.ts';
import { compareDocuments } from './reference/compare-documents.ts';
import { describeDifference } from './reference/difference.ts';
import { lineOf, reasons } from './reference/differences.ts';
import { digestOf } from './reference/digest.ts';

const readDocument = (name: string) => readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), 'utf8');
const apis = ['client', 'management'] as const;

const differences = apis.flatMap((api) => {
  const own = digestOf(JSON.parse(readDocument(`openapi/${api}.json`)));
  return compareDocuments({ reference: readReference(api), own }).map((difference) => ({ ...difference, api }));
});

describe('the differences from the reference', () => {
  it('are all in the table', () => {
    const unlisted = differences.filter((difference) => lineOf(difference) === undefined);
    expect(unlisted.map((difference) => `${difference.api}: ${describeDifference(difference)}`)).toEqual([]);
  });

  it('exist, so that no line of the table outlives its difference', () => {
    const lines = reasons.flatMap((reason) => reason.differences);
    const used = new Set(differences.map(lineOf));
    expect(lines.filter((line) => !used.has(line))).toEqual([]);
    expect(lines.filter((line, index) => lines.indexOf(line) !== index)).toEqual([]);
  });

  it('have a reason in docs/compatibility.md', () => {
    const rows = [...readDocument('compatibility.md').matchAll(/^\| (.+?) \| /gm)].map(([, cell]) => cell);
    expect(reasons.map(({ row }) => row).filter((row) => !rows.includes(row))).toEqual([]);
  });
});

describe('a response that differs from the reference', () => {
  const identityType = {
    ...{ id: 'User', name: 'User', createdAt: '2026-01-02T03:04:05.678Z', updatedAt: '2026-01-02T03:04:05.678Z' },
    ...{ tags: null, _links: { self: { href: './identity-types/User' } } },
  };
  const check = (change: object, status = 200) => {
    const body = { data: { ...identityType, ...change }, meta: {} };
    return checkResponse({ api: 'management', operation: 'GET /identity-types/{id}', status, body });
  };
  const found = (text: string) => [`GET /identity-types/{id} of the management API, ${text}`];

  it('is found by its member', () => {
    expect(check({})).toEqual([]);
    expect(check({ id: undefined })).toEqual(found('200: type baseEntity.id: expected string, got undefined'));
    expect(check({ id: null })).toEqual(found('200: null baseEntity.id: expected string, got null'));
    expect(check({ createdAt: '2026-01-02' })).toEqual(
      found('200: format baseEntity.createdAt: expected date-time, got "2026-01-02"'),
    );
    expect(check({ color: 'red' })).toEqual(found('200: extra identityTypeDetail.color: expected nothing, got string'));
    expect(check({ _links: { self: {} } })).toEqual(found('200: missing link.href: expected required, got nothing'));
    expect(check({}, 201)).toEqual(found('201: status GET /identity-types/{id}: expected 200, got 201'));
  });

  it('is found in lists, in members of a kind and in enumerations', () => {
    const list = (operation: string, row: object) =>
      checkResponse({
        api: 'management',
        operation,
        status: 200,
        body: { data: [{ ...identityType, ...row }], meta: {} },
      });
    const checks = (row: object) =>
      list('GET /posture-checks', { typeId: 'MFA', version: 1, roleAttributes: null, ...row });
    expect(checks({ timeoutSeconds: 5, domains: ['a'] })).toEqual([]);
    expect(checks({ timeoutSeconds: '5' })).toMatchObject([
      expect.stringMatching(/type postureCheckMfaProperties.timeoutSeconds: expected integer/),
    ]);
    expect(checks({ domains: [1] })).toMatchObject([
      expect.stringMatching(/type postureCheckDomainDetail.domains\[\]: expected string, got 1/),
    ]);
    const policies = checkResponse({
      ...{ api: 'management', operation: 'GET /service-policies/{id}', status: 200 },
      body: { data: { type: 'Sell' }, meta: {} },
    });
    expect(policies).toContainEqual(
      expect.stringContaining('enum servicePolicyDetail.type: expected Dial, Bind, Invalid'),
    );
  });

  it('is found in an error', () => {
    const refused = (body: unknown) =>
      checkResponse({ api: 'client', operation: 'GET /services/{id}', status: 404, body });
    const error = { code: 'NOT_FOUND', message: 'not found', requestId: 'a', cause: { field: 'id', value: 1 } };
    expect(refused({ error, meta: {} })).toEqual([]);
    expect(refused({ error: { ...error, code: 404 }, meta: {} })).toMatchObject([
      expect.stringMatching(/, 404: type apiError.code/),
    ]);
    expect(refused({ error })).toMatchObject([expect.stringMatching(/, 404: missing apiErrorEnvelope.meta/)]);
  });

  it('is none where the reference has no such operation', () => {
    const operation = 'POST /external-jwt-signers/{id}/test';
    expect(checkResponse({ api: 'management', operation, status: 200, body: 1 })).toEqual([]);
  });

  it('is found whoever sends the request', async () => {
    await using server = await startController();
    server.controller.app.use(async (ctx, next) => {
      await next();
      ctx.body = String(ctx.body).replace('"isAdmin":true', '"isAdmin":"true"');
    });
    const altered = createServer({ ...server.controller.tlsOptions }, server.controller.callback());
    await once(altered.listen(0), 'listening');
    const { port } = altered.address() as AddressInfo;
    const edge = createEdgeClient(`https://localhost:${port}`, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    expect(takeUnlisted()).toEqual([]);
    await edge.client.currentIdentity.get();
    expect(takeUnlisted()).toEqual([
      'GET /current-identity of the client API, 200: type identityDetail.isAdmin: expected boolean, got "true"',
    ]);
    altered.close();
    altered.closeAllConnections();
  });
});
