import { expect, test } from 'vitest';
import { json, scriptedController, scriptedServer } from '../test/support/scripted-server.ts';
import { createEdgeClient } from './index.ts';

const edge = createEdgeClient('http://127.0.0.1:1');
/** The calls as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: these calls are wrong on purpose
const { client, management } = edge as any;

test('the same property is the same function, and the APIs can be awaited and printed', async () => {
  expect(edge.management.identities.list).toBe(edge.management.identities.list);
  expect(edge.mfa.enroll).toBe(edge.mfa.enroll);
  expect(await edge.management).toBe(edge.management);
  expect(await edge.management.identities).toBe(edge.management.identities);
  expect(await edge.mfa).toBe(edge.mfa);
  expect(() => `${String(edge.client)} ${JSON.stringify(edge.client.version)}`).not.toThrow();
});

test.each([
  [() => management.identites.list(), 'edge.management has no "identites"; did you mean "identities"?'],
  [() => management.identities.lst(), 'edge.management.identities has no "lst"; did you mean "list"?'],
  [() => client.zzz.list(), 'edge.client has no "zzz"'],
])('an unknown operation rejects with a TypeError that names the nearest one', async (call, message) => {
  const error = await Promise.resolve()
    .then(call)
    .then(null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(message);
});

const { signal } = new AbortController();

test.each([
  [() => management.identities.list({ signal }), 'options go after the query: list({}, { signal })'],
  [() => management.identities.list({ timeout: 5 }), 'options go after the query: list({}, { signal })'],
  [() => client.currentIdentityMfa.delete({ signal }), 'options go after the headers: delete({}, { signal })'],
  [() => management.identities.create({ signal }), 'options go after the body: create({}, { signal })'],
  [() => management.identities.get({ signal }), 'options go after the id: get(id, { signal })'],
  [() => management.identities.get('id', {}, {}), 'too many arguments: get(id, options)'],
  [() => management.identities.list('name = "x"'), '"query" must be an object: list(query, options)'],
  [() => client.version.get({ timout: 5 }), 'unknown option "timout"; did you mean "timeout"?'],
  [() => client.version.get({ limit: 5 }), 'unknown option "limit"'],
])('arguments in the wrong places reject with a TypeError', async (call, message) => {
  const error = await call().then(null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(error.message).toContain(message);
});

test('an unknown option of a client is refused', () => {
  const options: object = { storge: null };
  expect(() => createEdgeClient('http://127.0.0.1:1', options)).toThrow(
    'unknown option "storge"; did you mean "storage"?',
  );
});

test('edge.pages accepts a call of either API', async () => {
  await using controller = await scriptedController((_seen, response) =>
    json(response, 200, { data: [{ id: '1' }], meta: {} }),
  );
  const signedIn = createEdgeClient(controller.url);
  await signedIn.signIn.password({ username: 'alice', password: 'a password' });
  const ids: string[] = [];
  for await (const { id } of signedIn.pages(signedIn.management.identities.list)) ids.push(id);
  expect(ids).toEqual(['1']);
});

test('a network error in a page says how to tell CORS from an untrusted certificate', async () => {
  await using server = await scriptedServer((_seen, response) => response.destroy());
  const message = async () =>
    String(
      await createEdgeClient(server.url, options)
        .client.version.get()
        .then(null, (e: unknown) => e),
    );
  // A browser gives no code.
  const options = { retries: 0, fetch: () => Promise.reject(new TypeError('Failed to fetch')) };
  expect(await message()).not.toContain('CORS');
  Object.assign(globalThis, { location: { href: 'https://app.example/' } });
  try {
    expect(await message()).toMatch(/CORS.*certificate is not trusted; open http:\S+\/version in a tab/);
  } finally {
    Reflect.deleteProperty(globalThis, 'location');
  }
});
