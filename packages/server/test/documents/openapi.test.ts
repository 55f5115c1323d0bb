import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import { undeclaredError } from '../support/undeclared-error.ts';

let server: TestController;

beforeAll(async () => {
  server = await startController();
});
afterAll(() => server[Symbol.asyncDispose]());

const surfaces: { name: 'client' | 'management'; base: string; tree: ApiTree }[] = [
  { name: 'client', base: '/edge/client/v1', tree: clientApi },
  { name: 'management', base: '/edge/management/v1', tree: managementApi },
];

describe.each(surfaces)('the OpenAPI document of the $name API', ({ name, base, tree }) => {
  const text = readFileSync(new URL(`../../../../docs/openapi/${name}.json`, import.meta.url), 'utf8');
  const document = JSON.parse(text);
  const operations: { name: string; operation: Operation }[] = Object.entries(tree).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ name: `${resource}.${verb}`, operation })),
  );

  it('is valid', async () => {
    await expect(SwaggerParser.validate(JSON.parse(text))).resolves.toBeDefined();
    expect([document.swagger, document.basePath]).toEqual(['2.0', base]);
  });

  it('has every operation of the tree and nothing else', () => {
    const printed = Object.entries<Record<string, Record<string, unknown>>>(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]) => `${row['x-operation']} ${method.toUpperCase()} ${path}`),
    );
    expect(printed.toSorted()).toEqual(
      operations.map((row) => `${row.name} ${row.operation.method} ${row.operation.path}`).toSorted(),
    );
  });

  it('has the access, the parameters and the body of every operation', () => {
    for (const { name: operationName, operation } of operations) {
      const { path, method, params, query, headers, body, permission } = operation;
      const printed = document.paths[path][method.toLowerCase()];
      const named = [params, query, headers].flatMap((schema) => Object.keys(schema?.shape ?? {}));
      // The security scheme describes this header.
      const expected = named.filter((parameter) => parameter !== 'authorization');
      expect(
        printed.parameters.map((parameter: { name: string }) => parameter.name),
        operationName,
      ).toEqual([...expected, ...(body ? ['body'] : [])]);
      expect([printed['x-access'], printed['x-permission']], operationName).toEqual([operation.access, permission]);
      expect(printed.security.some((row: object) => 'session' in row)).toBe(operation.access !== 'anyone');
    }
  });

  it('says where a JWT of an external signer counts', () => {
    const securityOf = (path: string, method: string) => document.paths[path][method].security;
    expect(securityOf('/authenticate', 'post')).toEqual([{}, { bearer: [] }]);
    for (const path of ['/current-api-session', '/current-identity']) {
      expect(securityOf(path, 'get'), path).toEqual([{ session: [] }, { session: [], bearer: [] }]);
    }
    expect(securityOf('/version', 'get')).toEqual([]);
    const enrollment = document.paths['/enroll/token'];
    if (name === 'client') expect(enrollment.post.security).toEqual([{ bearer: [] }]);
  });

  it('has the errors that only one operation has', () => {
    const responseOf = (path: string, method: string, status: number) =>
      document.paths[path][method].responses[status]?.description;
    expect(responseOf('/current-identity/mfa', 'post', 409)).toBe('MFA_EXISTS');
    expect(responseOf('/authenticate/mfa', 'post', 409)).toBe('MFA_NOT_ENROLLED');
    for (const [path, method] of [
      ['', 'get'],
      ['', 'delete'],
      ['/verify', 'post'],
      ['/qr-code', 'get'],
      ['/recovery-codes', 'get'],
      ['/recovery-codes', 'post'],
    ] as const) {
      expect(responseOf(`/current-identity/mfa${path}`, method, 404), `${method} ${path}`).toBe('NOT_FOUND');
    }
    const own = '/current-identity/authenticators/{id}';
    expect(responseOf(own, 'patch', 409)).toBe('CAN_NOT_UPDATE_AUTHENTICATOR');
    expect(responseOf(`${own}/extend-verify`, 'post', 409)).toBe('CAN_NOT_UPDATE_AUTHENTICATOR');
    if (name === 'client') return;
    for (const [path, method] of [
      ['/identities/{id}', 'patch'],
      ['/identities/{id}', 'delete'],
      ['/identities/{id}/disable', 'post'],
      ['/authenticators/{id}', 'delete'],
      ['/auth-policies/{id}', 'put'],
    ] as const) {
      expect(responseOf(path, method, 409), `${method} ${path}`).toContain('LAST_ADMINISTRATOR');
    }
  });

  it('is asked about each error that a test gets', () => {
    const gapOf = (method: string, path: string, status: number, code: string) =>
      undeclaredError(method, `${base}${path}`, { status, body: { error: { code } } });
    expect(gapOf('POST', '/current-identity/mfa', 409, 'MFA_EXISTS')).toBeNull();
    expect(gapOf('GET', '/current-identity/authenticators/x?a=1', 404, 'NOT_FOUND')).toBeNull();
    expect(gapOf('POST', '/current-identity/mfa', 409, 'MFA_NOT_ENROLLED')).toContain('currentIdentityMfa.create');
    expect(gapOf('POST', '/current-identity/mfa/', 404, 'NOT_FOUND')).toContain('404 NOT_FOUND');
    expect(gapOf('GET', '/version', 400, 'COULD_NOT_VALIDATE')).toContain('version.get');
  });

  it('names what a session and its authentication queries look like', () => {
    expect(document.definitions.currentApiSessionDetail.properties.authQueries.items).toEqual({
      $ref: '#/definitions/authQueryDetail',
    });
    expect(document.definitions.authQueryDetail.required).toContain('provider');
    expect(document.paths['/authenticate'].post.responses[200].schema.properties.data).toEqual({
      $ref: '#/definitions/currentApiSessionDetail',
    });
  });

  it('says null with x-nullable and has no reference to nothing', () => {
    expect(text).not.toMatch(/"null"|anyOf|\$schema|9007199254740991/);
    for (const [, id] of text.matchAll(/"#\/definitions\/([^"]+)"/g)) expect(document.definitions).toHaveProperty(id!);
  });

  it('is served as swagger.json to anyone', async () => {
    const answer = await server.wire('GET', `${base}/swagger.json`);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/json', text]);
  });

  it('is served below specs, as YAML unless JSON is asked for', async () => {
    const path = `${base}/specs/edge-${name}/spec`;
    const get = async (accept?: string) => {
      const answer = await server.wire('GET', path, accept === undefined ? {} : { headers: { accept } });
      return [answer.status, answer.headers['content-type'], answer.text] as const;
    };
    expect(await get('application/json')).toEqual([200, 'application/json', text]);
    const yaml = await get();
    expect(yaml.slice(0, 2)).toEqual([200, 'text/yaml']);
    expect(parse(yaml[2])).toEqual(document);
    expect(await get('*/*')).toEqual(yaml);
    expect((await get('image/png'))[0]).toBe(406);
  });
});

it('both APIs list the Client API and serve the documents of both, and no others', async () => {
  for (const { base } of surfaces) {
    const { body } = await server.wire('GET', `${base}/specs`);
    expect([body.meta, body.data.map(({ id }: { id: string }) => id)]).toEqual([{}, ['edge-client']]);
    for (const id of ['edge-client', 'edge-management']) {
      const detail = await server.wire('GET', `${base}/specs/${id}`);
      expect([detail.status, detail.body.data.name]).toEqual([200, id]);
      expect((await server.wire('GET', base + detail.body.data._links.spec.href.slice(1))).status).toBe(200);
    }
    for (const id of ['nothing', 'constructor', '__proto__']) {
      for (const path of [`${base}/specs/${id}`, `${base}/specs/${id}/spec`]) {
        const { status, body: refused } = await server.wire('GET', path);
        expect([status, refused.error.code, 'cause' in refused.error], path).toEqual([404, 'NOT_FOUND', false]);
      }
    }
  }
});

it('the SDK reads them: YAML as text, JSON as a value', async () => {
  const edge = createEdgeClient(server.url, { caFile: server.caFile });
  expect(parse(await edge.client.specs.spec('edge-management'))).toEqual(await edge.management.specs.swagger());
});
