import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';

const apis = ['/edge/client/v1', '/edge/management/v1', '/edge/v1', ''];
const documents = ['/openapi.json', '/swagger.json', '/specs', '/specs/edge-client', '/specs/edge-client/spec'];
const pages = ['', '/', '/docs.js', '/page.css', '/swagger-ui-bundle.js', '/swagger-ui.css'].map(
  (path) => `/edge/docs${path}`,
);

describe('a controller with edge.docs.enabled: false', () => {
  let server: TestController;
  beforeAll(async () => {
    server = await startController({ docsEnabled: false });
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it('has neither the API documents nor their pages, with and without a session', async () => {
    const token = await server.signIn(adminCredentials);
    for (const path of [...apis.flatMap((api) => documents.map((name) => api + name)), ...pages]) {
      for (const options of [{}, { token }]) {
        const { status, body } = await server.wire('GET', path, options);
        expect([status, body.error.code], path).toEqual([404, 'NOT_FOUND']);
      }
    }
  });

  it('shows a browser at / what it shows everybody, and not the version of Node', async () => {
    const page = await server.wire('GET', '/', { headers: { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' } });
    expect([page.status, page.headers['content-type'], page.headers.link]).toEqual([
      200,
      'application/json',
      undefined,
    ]);
    const { body } = await server.wire('GET', '/version');
    expect(body.data).toMatchObject({ runtimeVersion: 'node', version: expect.stringMatching(/^v\d/) });
    expect(page.text).not.toContain(process.version);
  });

  it('has all other operations', async () => {
    const token = await server.signIn(adminCredentials);
    for (const path of ['/edge/management/v1/identities', '/edge/client/v1/protocols', '/fabric/v1/routers']) {
      expect((await server.wire('GET', path, { token })).status, path).toBe(200);
    }
  });
});
