import { expect, onTestFinished, test, vi } from 'vitest';
import { scriptedController, scriptedServer } from '../../../test/support/scripted-server.ts';
import { createEdgeClient } from '../../index.ts';
import { nodeFetch } from '../../node/index.ts';

test.each([
  ['the fetch of the platform', undefined],
  ['nodeFetch', nodeFetch()],
])('%s sends the token to the controller and the listed origins only', async (_name, fetch) => {
  await using listed = await scriptedServer((_seen, response) => response.end('listed'));
  await using foreign = await scriptedServer((_seen, response) => response.end('foreign'));
  await using controller = await scriptedController((_seen, response) => response.end('own'));
  const edge = createEdgeClient(controller.url, { origins: [`${listed.url}/some/path`], fetch });
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  expect(await (await edge.fetch(`${controller.url}/app`)).text()).toBe('own');
  await edge.fetch(new Request(`${listed.url}/app`, { method: 'POST', body: 'text', headers: { 'x-app': '1' } }));
  await edge.fetch(new URL(foreign.url));
  expect(controller.seen.at(-1)?.headers['svc-session']).toBe('token-1');
  expect(listed.seen[0]).toMatchObject({
    method: 'POST',
    body: 'text',
    headers: { 'svc-session': 'token-1', 'x-app': '1' },
  });
  expect(foreign.seen[0]?.headers['svc-session']).toBeUndefined();
});

test.each([
  ['the fetch of the platform', undefined],
  ['nodeFetch', nodeFetch()],
])('%s does not send the token to the target of a redirect', async (_name, fetch) => {
  await using foreign = await scriptedServer((_seen, response) => response.end());
  await using controller = await scriptedController((_seen, response) =>
    response.writeHead(307, { location: foreign.url }).end(),
  );
  const edge = createEdgeClient(controller.url, { fetch });
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  const response = await edge.fetch(`${controller.url}/app`, { redirect: 'follow' });
  expect([response.status, response.type]).toContain(307);
  expect(foreign.seen).toHaveLength(0);
  await expect(edge.fetch(`${controller.url}/app`, { redirect: 'error' })).rejects.toThrow(TypeError);
});

test.each([
  ['development', true],
  ['production', false],
  [undefined, false],
])('an origin that gets no token is named once on the console in development: NODE_ENV %s', async (mode, isTold) => {
  vi.stubEnv('NODE_ENV', mode);
  const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    warn.mockRestore();
  });
  await using foreign = await scriptedServer((_seen, response) => response.end());
  await using controller = await scriptedController((_seen, response) => response.end());
  const edge = createEdgeClient(controller.url);
  for (let calls = 0; calls < 3; calls += 1) await edge.fetch(`${foreign.url}/secret?q=1`);
  await edge.fetch(`${controller.url}/app`);
  const text = `edge.fetch sends no token to ${foreign.url}: name it in the option "origins" if it needs one`;
  expect(warn.mock.calls).toEqual(isTold ? [[text]] : []);
});

test('with a logger, each client tells it once which origin gets no token, in production too', async () => {
  await using foreign = await scriptedServer((_seen, response) => response.end());
  await using controller = await scriptedController();
  const lines: string[] = [];
  const logger = { debug() {}, info() {}, error() {}, warn: (line: string) => lines.push(line) };
  for (const edge of [createEdgeClient(controller.url, { logger }), createEdgeClient(controller.url, { logger })]) {
    await edge.fetch(foreign.url);
    await edge.fetch(foreign.url);
  }
  expect(lines).toEqual(Array(2).fill(expect.stringContaining(`no token to ${foreign.url}:`)));
});
