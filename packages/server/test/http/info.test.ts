import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';

let server: TestController;

beforeAll(async () => {
  server = await startController();
});
afterAll(() => server[Symbol.asyncDispose]());

describe.each(['', '/edge/v1', '/edge/client/v1', '/edge/management/v1'])('a controller below "%s"', (base) => {
  it('says where its APIs are; the old name leads to the Client API', async () => {
    const at = (path: string) => ({ v1: { path, apiBaseUrls: [server.url + path] } });
    for (const path of ['/version', '/']) {
      const { status, body } = await server.wire('GET', base + path);
      expect(status).toBe(200);
      expect(body.data.apiVersions).toEqual({
        edge: at('/edge/client/v1'),
        'edge-client': at('/edge/client/v1'),
        'edge-management': at('/edge/management/v1'),
        fabric: at('/fabric/v1'),
      });
    }
  });

  it('responds to OPTIONS with 200 and nothing, and refuses every preflight by default', async () => {
    for (const path of ['/version', '/authenticate', '/current-identity', '/nothing']) {
      const plain = await server.wire('OPTIONS', base + path);
      expect([plain.status, plain.text, plain.headers['content-length']], path).toEqual([200, '', '0']);
      expect(plain.headers.connection, path).toBe('keep-alive');
      const headers = { origin: 'https://app.example.com', 'access-control-request-method': 'GET' };
      const preflight = await server.wire('OPTIONS', base + path, { headers });
      expect([preflight.status, preflight.body.error.code], path).toEqual([403, 'UNAUTHORIZED']);
    }
  });
});

it('TRACE is no method of any path, and sends nothing back', async () => {
  const headers = { 'x-secret': 'echo' };
  for (const path of ['/', '/edge/client/v1/version', '/edge/client/v1/nothing', '/console/']) {
    const { status, text } = await server.wire('TRACE', path, { headers });
    expect([404, 405], path).toContain(status);
    expect(text, path).not.toContain('echo');
  }
});
