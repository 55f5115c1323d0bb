import { expect, onTestFinished, test, vi } from 'vitest';
import { scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient } from '../index.ts';
import { nodeFetch } from '../node/index.ts';

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

/** An address that is `first` when somebody looks, and another one afterwards. */
function changing(first: string, later: string) {
  let reads = 0;
  const read = () => {
    reads += 1;
    return reads === 1 ? first : later;
  };
  return { read, reads: () => reads };
}

test.each([
  ['the fetch of the platform', undefined],
  ['nodeFetch', nodeFetch()],
])(
  '%s sends the token to the address that was checked, whatever an address says when it is read again',
  async (_name, fetch) => {
    await using foreign = await scriptedServer((_seen, response) => response.end());
    await using controller = await scriptedController((_seen, response) => response.end('own'));
    const edge = createEdgeClient(controller.url, { fetch });
    await edge.signIn.password({ username: 'alice', password: 'a password' });
    const own = `${controller.url}/app`;

    const address = changing(own, foreign.url);
    const requestLike = changing(own, foreign.url);
    const url = changing(own, foreign.url);
    const inputs: readonly object[] = [
      { toString: address.read },
      { headers: {}, method: 'GET', url: own, toString: requestLike.read },
      Object.defineProperty(new URL(own), 'toString', { value: url.read }),
    ];
    for (const input of inputs) expect(await (await edge.fetch(input as URL)).text()).toBe('own');
    expect([address, requestLike, url].map(({ reads }) => reads())).toEqual([1, 1, 1]);
    const disguised = Object.defineProperty(new Request(foreign.url), 'url', { value: own });
    await edge.fetch(disguised);
    expect(foreign.seen.map(({ headers }) => headers['svc-session'])).toEqual([undefined]);
    expect(controller.seen.slice(-3).map(({ headers }) => headers['svc-session'])).toEqual(Array(3).fill('token-1'));
    await expect(edge.fetch(Object.create(new Request(own)))).rejects.toThrow(TypeError);
  },
);

test('in a page an address is relative to what the page says, for the check and for the request', async () => {
  await using foreign = await scriptedServer((_seen, response) => response.end());
  await using controller = await scriptedController((_seen, response) => response.end());
  const edge = createEdgeClient(controller.url);
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  vi.stubGlobal('document', { baseURI: `${foreign.url}/` });
  vi.stubGlobal('location', { href: `${controller.url}/page` });
  onTestFinished(() => void vi.unstubAllGlobals());
  await edge.fetch('app');
  expect(foreign.seen).toMatchObject([{ path: '/app' }]);
  expect(foreign.seen[0]?.headers['svc-session']).toBeUndefined();
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
