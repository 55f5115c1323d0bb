import type { EdgeClient } from '@edge-controller/sdk';
import { createEdgeClient, isWrongCredentials } from '@edge-controller/sdk';
import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Visitor } from '../support/cookie-application.ts';
import { cookieApplication, origin } from '../support/cookie-application.ts';

let controller: TestController;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

/** The client of a page that a visitor has open. The storage is what `cookieStorage` is in a browser. */
function pageOf(visitor: Visitor, path = ''): EdgeClient {
  const fetch = async (input: unknown) => {
    const request = input as Request;
    const { pathname, search } = new URL(request.url);
    const { status, headers, text } = await visitor.send(request.method, pathname + search, {
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    return new Response(text, { status, headers: headers as Record<string, string> });
  };
  const storage = {
    get: () => visitor.handle ?? null,
    set: () => undefined,
    remove: () => void visitor.cookies.delete('__Host-edge-session-handle'),
  };
  return createEdgeClient(`${origin}${path}`, { fetch, storage });
}

const tokensOf = async ({ id }: { id: string }) => {
  const { data } = await controller.admin.management.apiSessions.list({ filter: `identity="${id}"` });
  return data.map(({ token }) => token);
};

it('a client in the page signs in, calls and signs out through the proxy, and never sees the token', async () => {
  await using application = await cookieApplication(controller);
  const ada = await controller.createIdentity();
  const visitor = application.visitor();
  await using edge = pageOf(visitor);
  expect(await edge.restore()).toBeNull();
  const wrong = edge.signIn.password({ ...ada, password: 'wrong password' } as never);
  expect(isWrongCredentials(await wrong.catch((error: unknown) => error))).toBe(true);
  const session = await edge.signIn.password({ username: ada.username, password: ada.password });
  expect([session.identity.name, edge.state]).toEqual([ada.name, 'active']);
  expect((await edge.client.currentIdentity.get()).name).toBe(ada.name);
  expect(await edge.client.currentApiSession.get()).toMatchObject({ token: visitor.handle });
  expect(JSON.parse((await visitor.get('/')).text).name).toBe(ada.name);
  const [token = ''] = await tokensOf(ada);
  expect(await edge.signOut()).toEqual({ confirmed: true });
  expect([visitor.cookies.size, await tokensOf(ada)]).toEqual([0, []]);
  expect(token).toMatch(/^[\w-]{36}$/);
  expect(visitor.seen.join()).not.toContain(token);
});

it('a page restores the session that a form has begun, and answers its queries', async () => {
  await using application = await cookieApplication(controller);
  const ada = await controller.createIdentity();
  const enrolled = await ada.signIn();
  const { provisioningUrl, verify } = await enrolled.mfa.enroll();
  await verify(controller.totp(provisioningUrl));
  const visitor = application.visitor();
  await visitor.post('/sign-in', { username: ada.username, password: ada.password });
  await using edge = pageOf(visitor);
  expect(await edge.restore()).toMatchObject({ state: 'partial', authQueries: [{ typeId: 'MFA' }] });
  await edge.answer.totp(controller.totp(provisioningUrl));
  expect(edge.state).toBe('active');
  expect(JSON.parse((await visitor.get('/full')).text).name).toBe(ada.name);
});

it('a tab notices that another one has signed out, or in as somebody else', async () => {
  await using application = await cookieApplication(controller);
  const [ada, bob] = [await controller.createIdentity(), await controller.createIdentity()];
  const visitor = application.visitor();
  await visitor.post('/sign-in', { username: ada.username, password: ada.password });
  await using first = pageOf(visitor);
  await first.restore();
  await visitor.post('/sign-out');
  await expect(first.client.currentIdentity.get()).rejects.toMatchObject({ status: 401 });
  expect(first.state).toBe('expired');

  await visitor.post('/sign-in', { username: ada.username, password: ada.password });
  await using second = pageOf(visitor);
  await second.restore();
  await visitor.post('/sign-in', { username: bob.username, password: bob.password });
  const handle = visitor.handle ?? '';
  const call = second.client.currentIdentity.get();
  await expect(call).rejects.toMatchObject({ status: 401 });
  expect(visitor.cookie).toBeDefined();
  // The storage removes its own handle only.
  expect(visitor.handle).toBe(handle);
  expect(JSON.parse((await visitor.get('/')).text).name).toBe(bob.name);
});

it('a page signs in as somebody else, and the session from before ends', async () => {
  await using application = await cookieApplication(controller);
  const [ada, bob] = [await controller.createIdentity(), await controller.createIdentity()];
  const visitor = application.visitor();
  await using edge = pageOf(visitor);
  await edge.signIn.password({ username: ada.username, password: ada.password });
  await edge.signIn.password({ username: bob.username, password: bob.password });
  expect((await edge.client.currentIdentity.get()).name).toBe(bob.name);
  expect([await tokensOf(ada), (await tokensOf(bob)).length]).toEqual([[], 1]);
  expect(JSON.parse((await visitor.get('/')).text).name).toBe(bob.name);
});

it('a sign-out in the page holds although the server cannot be reached', async () => {
  await using application = await cookieApplication(controller);
  const ada = await controller.createIdentity();
  const visitor = application.visitor();
  await visitor.post('/sign-in', { username: ada.username, password: ada.password });
  visitor.cookies.delete('__Host-edge-session-handle');
  expect(JSON.parse((await visitor.get('/')).text).name).toBeNull();
  expect([visitor.cookies.size, await tokensOf(ada)]).toEqual([0, []]);
});

it('the Management API is there only when the application allows it, and shows no tokens', async () => {
  const { username, password } = controller.adminCredentials;
  await using closed = await cookieApplication(controller);
  const outsider = closed.visitor();
  await outsider.post('/sign-in', { username, password });
  expect((await outsider.get('/edge/management/v1/identities')).status).toBe(404);

  await using application = await cookieApplication(controller, { management: true, basePath: '/api' });
  const visitor = application.visitor();
  await using edge = pageOf(visitor, '/api');
  await edge.signIn.password({ username, password });
  const { data } = await edge.management.apiSessions.list();
  const tokens = (await controller.admin.management.apiSessions.list()).data.map(({ token }) => token);
  expect(new Set(data.map(({ token }) => token))).toEqual(new Set([visitor.handle, '']));
  expect(tokens.length).toBeGreaterThan(1);
  for (const token of tokens) expect(visitor.seen.join()).not.toContain(token);
  expect((await visitor.get('/edge/management/v1/identities')).status).toBe(404);
});
