import { expect, test, vi } from 'vitest';
import { startTestController } from '../src/testing/start-test-controller.ts';
import { bundleForWorkers } from './support/bundle.ts';
import { json, scriptedServer, sessionDetail } from './support/scripted-server.ts';
import { startWorker } from './support/workerd.ts';

const recipe = "export { default } from '../test/recipes/worker.ts'";

test('the bundle of the entry for backends imports nothing of Node', async () => {
  const { inputs, imports } = await bundleForWorkers("export * from './backend/index.ts'");
  expect(imports).toEqual([]);
  expect(inputs.filter((path) => path.includes('src/node/'))).toEqual([]);
});

test('a worker in workerd knows whose session a request has', async () => {
  await using controller = await startTestController();
  const { code } = await bundleForWorkers(recipe);
  await using worker = await startWorker({ code, settings: { EDGE_URL: controller.url }, ca: controller.ca });
  const ada = await controller.createIdentity({ name: 'Ada Lovelace' });
  const edge = await ada.signIn({ origins: [worker.url] });
  for (let round = 0; round < 2; round += 1) {
    const response = await edge.fetch(worker.url);
    expect([response.status, await response.text()]).toEqual([200, 'Hello Ada Lovelace']);
    expect(Number(response.headers.get('svc-session-expires-in'))).toBeGreaterThan(1_700);
  }
  const { verify, provisioningUrl } = await edge.mfa.enroll();
  await verify(controller.totp(provisioningUrl));
  const partial = await ada.signIn({ origins: [worker.url] });
  const refusals = {
    partial: await partial.fetch(worker.url),
    missing: await fetch(worker.url),
    invalid: await fetch(worker.url, { headers: { 'svc-session': 'unknown' } }),
  };
  for (const [error, { status, headers }] of Object.entries(refusals)) {
    expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining(`error="${error}"`)]);
  }
});

test('a worker responds with 503 while the controller cannot be reached', async () => {
  const { code } = await bundleForWorkers(recipe);
  await using worker = await startWorker({ code, settings: { EDGE_URL: 'https://127.0.0.1:1' } });
  const response = await fetch(worker.url, { headers: { 'svc-session': 'some-token' } });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await response.json()).toMatchObject({ error: { code: 'CONTROLLER_UNAVAILABLE' } });
});

test('a worker that names a CA is told that it cannot', async () => {
  const { code } = await bundleForWorkers(`
    import { createSessionVerifier } from './backend/index.ts';
    const controller = 'https://localhost:1280';
    const verifierOf = async (options) => createSessionVerifier({ controller, ...options });
    export default {
      async fetch() {
        const all = [{ ca: 'PEM' }, { caFile: 'ca.pem' }, {}].map(verifierOf);
        return Response.json((await Promise.allSettled(all)).map(({ reason }) => String(reason)));
      },
    };
  `);
  await using worker = await startWorker({ code });
  const refusal = expect.stringMatching(/^TypeError: ca and caFile work in Node only/);
  expect(await (await fetch(worker.url)).json()).toEqual([refusal, refusal, 'undefined']);
});

test('the requests of a worker share a question, also after the one that asks has left', async () => {
  const pending: (() => void)[] = [];
  await using controller = await scriptedServer((seen, response) => {
    const token = String(seen.headers['svc-session']);
    pending.push(() => json(response, 200, { data: sessionDetail(token), meta: {} }));
  });
  const { code } = await bundleForWorkers(recipe);
  await using worker = await startWorker({ code, settings: { EDGE_URL: controller.url } });
  const statusOf = async (token: string, signal: AbortSignal | null = null) =>
    (await fetch(worker.url, { headers: { 'svc-session': token }, signal })).status;
  const left = new AbortController();
  const first = statusOf('good', left.signal).catch(() => 'left');
  await vi.waitFor(() => expect(pending).toHaveLength(1));
  const others = Array.from({ length: 5 }, () => statusOf('good'));
  left.abort();
  expect(await first).toBe('left');
  for (const send of pending.splice(0)) send();
  expect(new Set(await Promise.all(others))).toEqual(new Set([200]));
  expect(controller.seen).toHaveLength(1);

  // More tokens than the verifier asks for at once.
  const many = Array.from({ length: 60 }, (_, at) => statusOf(`token-${at}`));
  const sending = setInterval(() => {
    for (const send of pending.splice(0)) send();
  }, 50);
  expect(new Set(await Promise.all(many))).toEqual(new Set([200]));
  clearInterval(sending);
});
