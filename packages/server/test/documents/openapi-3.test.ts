import { readFileSync } from 'node:fs';
import SwaggerParser from '@apidevtools/swagger-parser';
import type { Operation } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toOpenApi2 } from '../../src/documents/openapi/openapi-2.ts';
import type { OpenApiDocument, PrintedOperation } from '../../src/documents/openapi/parts.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';

let server: TestController;

beforeAll(async () => {
  server = await startController();
});
afterAll(() => server[Symbol.asyncDispose]());

const textOf = (file: string) =>
  readFileSync(new URL(`../../../../docs/openapi/${file}.json`, import.meta.url), 'utf8');

describe.each([
  { name: 'client', tree: clientApi },
  { name: 'management', tree: managementApi },
])('the OpenAPI 3.1 document of the $name API', ({ name, tree }) => {
  const base = `/edge/${name}/v1`;
  const text = textOf(`${name}.openapi`);
  const document: OpenApiDocument = JSON.parse(text);
  const printed = new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, row]): [string, PrintedOperation] => [
        `${method.toUpperCase()} ${path}`,
        row,
      ]),
    ),
  );
  const operations: Operation[] = Object.values(tree).flatMap((resource) => Object.values(resource));
  const printedOf = ({ method, path }: Operation) => printed.get(`${method} ${path}`)!;

  it('is valid, and served to anyone', async () => {
    await expect(SwaggerParser.validate(JSON.parse(text))).resolves.toBeDefined();
    const answer = await server.wire('GET', `${base}/openapi.json`);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([200, 'application/json', text]);
    expect([document.openapi, document.servers]).toEqual(['3.1.1', [{ url: base }]]);
  });

  it('says the same as the 2.0 document', () => {
    expect(toOpenApi2(document)).toEqual(JSON.parse(textOf(name)));
  });

  it('has every operation of the tree under an id of its own, with a tag that is described', () => {
    expect([...printed.keys()].toSorted()).toEqual(operations.map((row) => `${row.method} ${row.path}`).toSorted());
    const ids = [...printed.values()].map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const described = document.tags.filter(({ description }) => description).map((tag) => tag.name);
    expect([...new Set([...printed.values()].flatMap(({ tags }) => tags))].toSorted()).toEqual(described.toSorted());
  });

  it('has the media types of bodies and responses', () => {
    for (const operation of operations) {
      const { requestBody, responses } = printedOf(operation);
      const bodies = Object.keys(requestBody?.content ?? {});
      const types = operation.consumes ?? (operation.body?.type === 'string' ? ['text/plain'] : ['application/json']);
      expect(bodies.toSorted(), operation.path).toEqual(operation.body ? types.toSorted() : []);
      expect(requestBody?.required ?? false).toBe(operation.body !== undefined && !operation.bodyOptional);
      const success = responses[200] ?? responses[201];
      expect(Object.keys(success!.content)).toEqual(operation.produces ?? ['application/json']);
      for (const [status, { content }] of Object.entries(responses)) {
        if (status.startsWith('2')) continue;
        const schema = { $ref: '#/components/schemas/apiErrorEnvelope' };
        expect(content, `${operation.path} ${status}`).toEqual({ 'application/json': { schema } });
      }
    }
  });

  it('says in its servers and security where a request goes and what it needs', () => {
    expect(document.components.securitySchemes).toMatchObject({
      session: { type: 'apiKey', in: 'header', name: 'svc-session' },
      bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
    });
    for (const operation of operations) {
      const { parameters, security } = printedOf(operation);
      expect(JSON.stringify(security).includes('session')).toBe(operation.access !== 'anyone');
      // OpenAPI 3 ignores parameters with this name: the security scheme describes the header.
      expect(parameters.map((parameter) => parameter.name)).not.toContain('authorization');
    }
  });

  it('says how lists are sent in a query', () => {
    const lists = [...printed.values()].flatMap(({ parameters }) =>
      parameters.filter(({ schema }) => schema.type === 'array'),
    );
    expect(lists.every((row) => row.in !== 'query' || (row.style === 'form' && row.explode))).toBe(true);
    if (name === 'management') expect(lists).toContainEqual(expect.objectContaining({ name: 'roleFilter' }));
  });

  it('writes null as a type, and has no reference to nothing', () => {
    expect(text).not.toMatch(/nullable|\$schema|\$id|9007199254740991|#\/definitions/);
    for (const [, id] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(document.components.schemas).toHaveProperty(id!);
  });
});

it('the words of the contract describe schemas and members, also beside a reference', () => {
  const { schemas } = (JSON.parse(textOf('management.openapi')) as OpenApiDocument).components;
  expect(schemas.identityDetail).toMatchObject({
    description: 'A person, a device or a service that can sign in.',
    properties: {
      name: { type: 'string', description: 'Unique, at most 500 characters.' },
      envInfo: { $ref: '#/components/schemas/envInfo', description: 'What its client sent at the last sign-in.' },
    },
  });
  const { definitions } = JSON.parse(textOf('management'));
  expect(definitions.identityDetail.properties.envInfo).toEqual({ $ref: '#/definitions/envInfo' });
  expect(definitions.identityDetail.properties.name.description).toBe('Unique, at most 500 characters.');
});

it('null is a type, a value of an enum, or the other side of a reference', () => {
  const { schemas } = (JSON.parse(textOf('management.openapi')) as OpenApiDocument).components;
  expect(schemas.authPolicyPatch?.properties).toMatchObject({
    name: { type: ['string', 'null'] },
    primary: { anyOf: [{ $ref: '#/components/schemas/authPolicyPrimaryPatch' }, { type: 'null' }] },
  });
  expect(schemas.identityPatch?.properties?.type).toMatchObject({ type: ['string', 'null'] });
  expect(schemas.identityPatch?.properties?.type?.enum).toContain(null);
});
