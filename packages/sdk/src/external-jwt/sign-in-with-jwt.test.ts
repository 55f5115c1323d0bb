import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { jwtController, jwtsOf } from '../../test/support/jwt-controller.ts';
import { refuse, scriptedServer } from '../../test/support/scripted-server.ts';
import { unsignedJwt } from '../../test/support/unsigned-jwt.ts';
import type { EdgeClient, GetToken } from '../index.ts';
import { createEdgeClient, isEdgeApiError, isEdgeTokenError } from '../index.ts';

const [first, second] = [unsignedJwt('first'), unsignedJwt('second')];

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('signs in with a JWT, which is sent with this request only', async () => {
  await using controller = await jwtController();
  controller.state.asks = false;
  controller.accepted.add(first);
  const edge = createEdgeClient(controller.url);
  expect((await edge.signIn.extJwt({ token: first, envInfo: { os: 'linux' } })).state).toBe('full');
  await edge.management.identities.list();
  expect(controller.seen.map(jwtsOf)).toEqual([[first], []]);
  expect(controller.seen[0]).toMatchObject({ path: '/edge/client/v1/authenticate?method=ext-jwt' });
  expect(JSON.parse(controller.seen[0]?.body ?? '')).toEqual({
    ...{ envInfo: { os: 'linux' }, sdkInfo: { type: '@edge-controller/sdk' } },
  });
});

test.each([
  ['expired', 'expired'],
  ['invalid', 'refused'],
])('a JWT that is refused as %s is replaced once', async (problem, reason) => {
  await using controller = await jwtController();
  controller.state.problem = problem;
  controller.accepted.add(second);
  const reasons: string[] = [];
  const getToken: GetToken = async (request) => {
    reasons.push(request.reason);
    return reasons.length === 1 ? first : second;
  };
  controller.state.asks = false;
  const { state } = await createEdgeClient(controller.url).signIn.extJwt({ getToken });
  expect([state, reasons, controller.seen.map(jwtsOf)]).toEqual(['full', ['needed', reason], [[first], [second]]]);
});

test('the primary JWT and that of the second factor are in one header, and a JWT for both roles is there once', async () => {
  await using controller = await jwtController();
  controller.accepted.add(first);
  for (const jwt of [second, first]) {
    const edge = createEdgeClient(controller.url, { secondaryToken: { getToken: () => jwt } });
    await edge.signIn.extJwt({ token: first });
  }
  expect(controller.seen.map(({ headers }) => headers.authorization)).toEqual([
    `Bearer ${first}, Bearer ${second}`,
    `Bearer ${first}`,
  ]);
});

test('says why the controller refused a JWT, and whose JWTs it accepts, without the JWT', async () => {
  await using controller = await jwtController();
  controller.state.problem = 'missing';
  let asked = 0;
  const getToken = () => {
    asked += 1;
    return first;
  };
  const error = await failure(createEdgeClient(controller.url).signIn.extJwt({ getToken }));
  expect(error).toMatchObject({
    ...{ name: 'EdgeApiError', code: 'UNAUTHORIZED', status: 401 },
    challenge: { error: 'missing', signers: [{ id: 'signer-1', issuer: 'https://idp.example' }] },
  });
  controller.state.problem = 'expired';
  const again = await failure(createEdgeClient(controller.url).signIn.extJwt({ token: first }));
  expect(isEdgeApiError(again, 'UNAUTHORIZED') && again.challenge?.error).toBe('expired');
  // The controller does not miss the JWT, so the client asks for no other one and does not send the same one again.
  expect([asked, controller.seen.length]).toEqual([1, 2]);
});

test('no error contains the JWT, also when the controller quotes it or cannot be reached', async () => {
  await using controller = await scriptedServer((seen, response) => refuse(response, 400, jwtsOf(seen).join()));
  const errors = [
    await failure(createEdgeClient(controller.url).signIn.extJwt({ token: first })),
    await failure(createEdgeClient('http://127.0.0.1:1').signIn.extJwt({ token: first })),
  ];
  expect(errors[0]).toMatchObject({ message: expect.stringContaining('refused: [redacted]') });
  const headers = { authorization: `Bearer ${first}` };
  const enrollment = await failure(createEdgeClient(controller.url).client.enroll.token(headers));
  expect(enrollment).toMatchObject({ message: expect.stringContaining('refused: [redacted]') });
  expect(inspect(errors[1], { depth: 20, showHidden: true })).not.toContain(first);
});

test('without a JWT nothing is sent, and errors of getToken are passed on', async () => {
  await using controller = await jwtController();
  const { signIn } = createEdgeClient(controller.url);
  expect(isEdgeTokenError(await failure(signIn.extJwt({ getToken: () => null })), 'NO_TOKEN')).toBe(true);
  expect(isEdgeTokenError(await failure(signIn.extJwt({ token: 'opaque' })), 'NOT_A_JWT')).toBe(true);
  const outage = new Error('the provider is away');
  expect(await failure(signIn.extJwt({ getToken: () => Promise.reject(outage) }))).toBe(outage);
  const controllerOfSignal = new AbortController();
  const waiting = failure(
    signIn.extJwt({ getToken: () => new Promise(() => {}) }, { signal: controllerOfSignal.signal }),
  );
  controllerOfSignal.abort(outage);
  expect(await waiting).toBe(outage);
  expect(controller.seen).toHaveLength(0);
});

test('reauthenticate asks for a JWT again, once for 50 calls', async () => {
  await using controller = await jwtController();
  controller.state.asks = false;
  controller.accepted.add(first).add(second);
  const jwts = [first, second];
  const getToken: GetToken = () => jwts.shift() ?? null;
  const edge: EdgeClient = createEdgeClient(controller.url, { reauthenticate: () => edge.signIn.extJwt({ getToken }) });
  await edge.signIn.extJwt({ getToken });
  controller.live.delete('token-1');
  await Promise.all(Array.from({ length: 50 }, () => edge.management.identities.list()));
  expect(jwts).toEqual([]);
  expect(controller.seen.filter(({ path }) => path.includes('ext-jwt')).map(jwtsOf)).toEqual([[first], [second]]);
});

test('a JWT of a file may end in a line feed, wherever it is given', async () => {
  await using controller = await jwtController();
  controller.state.asks = false;
  controller.accepted.add(first);
  const edge = createEdgeClient(controller.url, { secondaryToken: { getToken: () => `${first}\r\n` } });
  await edge.signIn.extJwt({ token: `${first}\n` });
  await edge.signIn.extJwt({ getToken: () => ` ${first}\n` });
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  const sent = controller.seen.flatMap(jwtsOf);
  expect(new Set(sent)).toEqual(new Set([first]));
});

test('the error names what was given: token or getToken', async () => {
  await using controller = await jwtController();
  const edge = createEdgeClient(controller.url);
  const messages = async (credentials: Parameters<EdgeClient['signIn']['extJwt']>[0]) =>
    String(await failure(edge.signIn.extJwt(credentials)));
  expect(await messages({ token: '\n' })).toContain('token is empty (NO_TOKEN)');
  expect(await messages({ getToken: () => '\n' })).toContain('getToken returned null (NO_TOKEN)');
  expect(await messages({ token: 'opaque' })).toMatch(/EdgeTokenError: token is not a JWT;.*\(NOT_A_JWT\)/);
  expect(await messages({ getToken: () => 'opaque' })).toMatch(/: getToken returned something that is not a JWT;/);
  await edge.signIn.password({ username: 'alice', password: 'a password' });
  const refused = unsignedJwt('refused');
  expect(String(await failure(edge.answer.extJwt(`${refused}\n`)))).toContain('the JWT in token (REFUSED)');
  expect(String(await failure(edge.answer.extJwt(() => refused)))).toContain('that getToken returned (REFUSED)');
});
