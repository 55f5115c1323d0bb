import type { CookieSessionStore } from '@edge-controller/sdk/backend';
import type { TestController, TestIdentity } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Visitor } from '../support/cookie-application.ts';
import { cookieApplication, origin } from '../support/cookie-application.ts';

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const formOf = ({ username, password }: TestIdentity) => ({ username, password });

/** The API sessions of an identity, as the controller has them. */
async function sessionsOf({ id }: TestIdentity) {
  const { data } = await controller.admin.management.apiSessions.list({ filter: `identity="${id}"` });
  return data;
}

const signedIn = async (visitor: Visitor) => JSON.parse((await visitor.get('/')).text).name !== null;

/** A person with an authenticator app. */
async function createPersonWithTotp() {
  const person = await controller.createIdentity();
  const edge = await person.signIn();
  const { provisioningUrl, recoveryCodes, verify } = await edge.mfa.enroll();
  await verify(controller.totp(provisioningUrl));
  await edge.signOut();
  return { person, recoveryCodes, nextCode: () => controller.totp(provisioningUrl) };
}

describe.each<{ keeps: string; newStore: () => CookieSessionStore | undefined }>([
  { keeps: 'a sealed cookie', newStore: () => undefined },
  { keeps: 'a store', newStore: () => new Map<string, string>() },
])('plain forms, with $keeps', ({ newStore }) => {
  it('sign in, show the session on the server, and sign out', async () => {
    const store = newStore();
    await using application = await cookieApplication(controller, { store });
    const ada = await controller.createIdentity();
    const visitor = application.visitor();
    expect((await visitor.get('/')).text).toBe('{"state":null,"name":null}');
    expect((await visitor.post('/sign-in', { ...formOf(ada), password: 'wrong password' })).text).toBe('wrong');
    expect((await visitor.post('/sign-in', { ...formOf(ada), password: 'oh' })).text).toBe('wrong');
    expect(visitor.cookies.size).toBe(0);

    const response = await visitor.post('/sign-in', formOf(ada));
    expect(JSON.parse(response.text)).toEqual({ state: 'full', name: ada.name });
    expect(response.headers['cache-control']).toBe('private, no-store');
    expect(response.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-edge-session=[\w.-]+; Path=\/; SameSite=Lax; Secure; HttpOnly$/),
      expect.stringMatching(/^__Host-edge-session-handle=cookie\.[\w-]+; Path=\/; SameSite=Lax; Secure$/),
    ]);
    const page = await visitor.get('/');
    expect([JSON.parse(page.text), page.headers['set-cookie'], page.headers.vary]).toEqual([
      { state: 'full', name: ada.name },
      undefined,
      'cookie',
    ]);
    expect(JSON.parse((await visitor.get('/name')).text)).toEqual({ name: ada.name });

    const [session] = await sessionsOf(ada);
    expect(visitor.seen.join()).not.toContain(session?.token);
    expect(store instanceof Map ? JSON.stringify([...store]) : visitor.cookie).not.toContain(session?.token);
    const stolen = [...visitor.cookies];
    expect((await visitor.post('/sign-out')).text).toBe('{"confirmed":true}');
    expect([visitor.cookies.size, await sessionsOf(ada), store instanceof Map ? store.size : 0]).toEqual([0, [], 0]);
    const thief = application.visitor(stolen);
    expect(await signedIn(thief)).toBe(false);
    expect(thief.cookies.size).toBe(0);
  });

  it('ask for the second factor, and let nothing through before', async () => {
    await using application = await cookieApplication(controller, { store: newStore() });
    const { person, recoveryCodes, nextCode } = await createPersonWithTotp();
    const visitor = application.visitor();
    expect(JSON.parse((await visitor.post('/sign-in', formOf(person))).text).state).toBe('partial');
    expect(JSON.parse((await visitor.get('/')).text).state).toBe('partial');
    expect(JSON.parse((await visitor.get('/full')).text).state).toBeNull();
    expect((await visitor.get('/name')).status).toBe(500);
    expect((await visitor.call('GET', '/current-identity')).status).toBe(401);
    expect((await visitor.post('/code', { code: '000000' })).text).toBe('wrong');
    expect(JSON.parse((await visitor.post('/code', { code: nextCode() })).text).state).toBe('full');
    expect(JSON.parse((await visitor.get('/full')).text).name).toBe(person.name);

    const other = application.visitor();
    await other.post('/sign-in', formOf(person));
    expect(JSON.parse((await other.post('/code', { code: recoveryCodes[0] ?? '' })).text).state).toBe('full');
    expect((await application.visitor().post('/code', { code: nextCode() })).text).toBe('no session');
  });

  it('end the session that another sign-in replaces, and keep no cookie from before', async () => {
    const store = newStore();
    await using application = await cookieApplication(controller, { store });
    const [ada, bob] = [await controller.createIdentity(), await controller.createIdentity()];
    const visitor = application.visitor();
    await visitor.post('/sign-in', formOf(ada));
    const planted = [...visitor.cookies];
    await visitor.post('/sign-in', formOf(bob));
    expect(JSON.parse((await visitor.get('/')).text).name).toBe(bob.name);
    expect(visitor.cookies).not.toEqual(new Map(planted));
    expect([await sessionsOf(ada), store instanceof Map ? store.size : 1]).toEqual([[], 1]);
    expect(await signedIn(application.visitor(planted))).toBe(false);
  });
});

it('a JWT of a signer signs in on the server', async () => {
  await using application = await cookieApplication(controller);
  const issuer = await controller.jwtIssuer();
  const ada = await controller.createIdentity({ authPolicyId: issuer.authPolicyId });
  const request = new Request(origin, { method: 'POST', headers: { origin } });
  const { session, headers } = await application.sessions.signIn(request, { token: issuer.sign({ sub: ada.id }) });
  expect([session.identity.id, headers.getSetCookie().length]).toEqual([ada.id, 2]);
});

it('a session that the controller has ended is over, and its cookies go', async () => {
  await using application = await cookieApplication(controller);
  const ada = await controller.createIdentity();
  const visitor = application.visitor();
  await visitor.post('/sign-in', formOf(ada));
  await controller.revokeSessions(ada);
  expect(await signedIn(visitor)).toBe(false);
  expect(visitor.cookies.size).toBe(0);
});

it('a page extends the session', async () => {
  await using own = await startTestController({ sessionTimeout: 60_000 });
  await using application = await cookieApplication(own);
  const ada = await own.createIdentity();
  const visitor = application.visitor();
  await visitor.post('/sign-in', formOf(ada));
  for (let minute = 0; minute < 3; minute += 1) {
    own.clock.advance(45_000);
    expect(await signedIn(visitor)).toBe(true);
  }
  own.clock.advance(61_000);
  expect(await signedIn(visitor)).toBe(false);
});

it('while the controller is away the cookie stays, and a sign-out works', async () => {
  await using application = await cookieApplication(controller);
  const visitor = application.visitor();
  await visitor.post('/sign-in', formOf(await controller.createIdentity()));
  const { cookie } = visitor;
  await using gone = await cookieApplication({ url: 'http://127.0.0.1:1' });
  const lost = gone.visitor(visitor.cookies);
  expect([(await lost.get('/')).status, lost.cookie]).toEqual([503, cookie]);
  const refused = await lost.call('GET', '/current-identity');
  expect([refused.status, refused.headers['retry-after'], lost.cookie]).toEqual([503, '1', cookie]);
  expect((await lost.post('/sign-out')).text).toBe('{"confirmed":false}');
  expect(lost.cookies.size).toBe(0);
  expect(await signedIn(visitor)).toBe(true);
});

it('the controller learns the address of the user from an application that it trusts', async () => {
  await using own = await startTestController({ trustedProxies: ['127.0.0.0/8'] });
  await using application = await cookieApplication(own, { clientAddress: ({ headers }) => headers.get('x-real-ip') });
  const ada = await own.createIdentity();
  const headers = { 'x-real-ip': '203.0.113.7', 'x-forwarded-for': '198.51.100.1' };
  await application.visitor().post('/sign-in', formOf(ada), headers);
  const visitor = application.visitor();
  await visitor.call('POST', '/authenticate?method=password', formOf(ada), { ...headers, 'x-real-ip': '203.0.113.8' });
  await application.visitor().post('/sign-in', formOf(ada), { 'x-real-ip': '1, 203.0.113.9' });
  const { data } = await own.admin.management.apiSessions.list({ filter: `identity="${ada.id}"` });
  expect(data.map(({ ipAddress }) => ipAddress).sort()).toEqual(['127.0.0.1', '203.0.113.7', '203.0.113.8']);
});
