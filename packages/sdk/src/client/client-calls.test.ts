import { expect, test } from 'vitest';
import { json, scriptedController, scriptedServer } from '../../test/support/scripted-server.ts';
import { createEdgeClient } from '../index.ts';

const edge = createEdgeClient('http://127.0.0.1:1');
/** The calls as JavaScript sees them. */
// biome-ignore lint/suspicious/noExplicitAny: these calls are wrong on purpose
const wrong = edge as any;
const { client, management } = wrong;

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
  [() => management.identitys.list(), 'edge.management has no "identitys"; did you mean "identities"?'],
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

test.each([
  [{ storage: null }, "storage must have get, set and remove: use webStorage('local')"],
  [{ storage: 'local' }, 'storage must have get, set and remove'],
  // A storage of a browser.
  [{ storage: { getItem: () => null, setItem: () => undefined } }, 'storage must have get, set and remove'],
  [{ timeout: '5s' }, 'timeout must be a positive number of milliseconds, got 5s'],
  [{ timeout: Number.NaN }, 'timeout must be a positive number of milliseconds, got NaN'],
  [{ timeout: 0 }, 'timeout must be a positive number of milliseconds, got 0'],
])('an option that cannot work is refused at once: %o', (options: object, message) => {
  expect(() => createEdgeClient('http://127.0.0.1:1', options)).toThrow(message);
});

test.each([
  ['an event', () => wrong.on('expird', () => undefined), 'unknown event "expird"; did you mean "expired"?'],
  ['an event of the SDK itself', () => wrong.on('sessionChange', () => undefined), 'unknown event "sessionChange"'],
  ['a state', () => wrong.waitFor('activ'), 'unknown state "activ"; did you mean "active"?'],
  ['a list of states', () => wrong.waitFor(['active', undefined]), 'unknown state "undefined"'],
  ['a time', () => wrong.waitFor('active', { timeout: '1s' }), 'timeout must be a positive number of milliseconds'],
  [
    'the time of a call',
    () => client.version.get({ timeout: -1 }),
    'timeout must be a positive number of milliseconds',
  ],
  [
    'an option of a sign-in',
    () => wrong.signIn.password({ username: 'alice', password: 'a password' }, { onAuthquery: () => undefined }),
    'unknown option "onAuthquery"; did you mean "onAuthQuery"?',
  ],
])('%s that the SDK does not know is refused', async (_what, call, message) => {
  const error = await Promise.resolve()
    .then(call)
    .then(null, (reason: unknown) => reason);
  expect(error).toBeInstanceOf(TypeError);
  expect(String(error)).toContain(message);
});

test('what the application changes right after a call is not sent', async () => {
  await using controller = await scriptedController((_seen, response) => json(response, 201, { data: {}, meta: {} }));
  const signedIn = createEdgeClient(controller.url);
  const credentials = { username: 'alice', password: 'a password' };
  const signingIn = signedIn.signIn.password(credentials);
  credentials.password = '';
  await signingIn;
  const body = { name: 'sensor', type: 'Device', isAdmin: false } as const;
  const creating = signedIn.management.identities.create(body);
  Object.assign(body, { name: 'other' });
  await creating;
  const sent = controller.seen.map(({ body: text }) => JSON.parse(text) as object);
  expect(sent).toMatchObject([{ username: 'alice', password: 'a password' }, { name: 'sensor' }]);
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
