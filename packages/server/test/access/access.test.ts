import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { addPolicy, addUserUnder, requireTotp } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { sampleOf } from '../support/sample-of.ts';
import { enrollTotp } from '../support/totp.ts';

const surfaces: { base: string; tree: ApiTree }[] = [
  { base: '/edge/client/v1', tree: clientApi },
  { base: '/edge/management/v1', tree: managementApi },
  { base: '/fabric/v1', tree: fabricApi },
];

const operations = surfaces.flatMap(({ base, tree }) =>
  Object.entries(tree).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, operation]: [string, Operation]) => ({
      name: `${base} ${resource}.${verb}`,
      path: base + operation.path.replaceAll(/\{\w+\}/g, 'no-such-id'),
      operation,
      // Passes the schema, so that only the session decides.
      request: operation.body ? { body: sampleOf(operation.body) } : {},
    })),
  ),
);

const secured = operations.filter(({ operation }) => operation.access !== 'anyone');
const forAdmins = operations.filter(({ operation }) => operation.access === 'admin');

/** What a session with outstanding authentication queries may do, on the Client API and on the Management API. */
const openToPartial = [
  'DELETE /current-api-session',
  'GET /current-api-session',
  'GET /current-identity/mfa',
  'GET /current-identity/mfa/qr-code',
  'POST /authenticate/mfa',
  'POST /current-identity/mfa',
  'POST /current-identity/mfa/verify',
];

it('the bodies and headers of these tests pass the schemas of every operation', () => {
  for (const { name, operation, request } of operations) {
    expect(operation.body?.safeParse(request.body).error, name).toBeUndefined();
    expect(operation.headers?.safeParse({}).error, name).toBeUndefined();
  }
});

interface Setting {
  readonly admin: string;
  readonly user: { readonly id: string; readonly username: string; readonly password: string };
  readonly authPolicyId: string;
}

/** How a session comes to be partial; each resolves to the token of such a session. */
const waysToBePartial: Record<string, (server: TestController, setting: Setting) => Promise<string>> = {
  async 'has to enrol in TOTP first'(server, { admin, user, authPolicyId }) {
    await requireTotp(server, admin, { id: authPolicyId, isRequired: true });
    return server.signIn(user);
  },
  async 'has not answered yet'(server, { admin, user }) {
    await server.wire('DELETE', `/edge/management/v1/identities/${user.id}/mfa`, { token: admin });
    await enrollTotp(server.wire, await server.signIn(user));
    return server.signIn(user);
  },
  async 'was full until its policy changed'(server, { admin, user, authPolicyId }) {
    await requireTotp(server, admin, { id: authPolicyId, isRequired: false });
    await server.wire('DELETE', `/edge/management/v1/identities/${user.id}/mfa`, { token: admin });
    const token = await server.signIn(user);
    expect((await server.wire('GET', '/edge/client/v1/current-identity', { token })).status).toBe(200);
    await requireTotp(server, admin, { id: authPolicyId, isRequired: true });
    return token;
  },
};

describe.each(storePairs)('access on $stores', ({ open }) => {
  it('every secured operation refuses no, garbage, expired and removed sessions', async () => {
    await using server = await startController({ ...(await open()), sessionTimeout: 1_000 });
    const expired = await server.signIn();
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    const removed = await server.signIn();
    await server.wire('DELETE', '/edge/client/v1/current-api-session', { token: removed });
    const tokens: Record<string, string | undefined> = {
      none: undefined,
      empty: '',
      garbage: 'garbage',
      unknown: '00000000-0000-4000-8000-000000000000',
      huge: 'x'.repeat(4_000),
      expired,
      removed,
    };
    expect(secured.length).toBeGreaterThan(12);
    for (const { name, path, operation, request } of secured) {
      for (const [kind, token] of Object.entries(tokens)) {
        const answer = await server.wire(operation.method, path, {
          ...(token === undefined ? {} : { token }),
          ...request,
        });
        expect([answer.status, answer.body.error.code], `${name} with ${kind}`).toEqual([401, 'UNAUTHORIZED']);
        expect(answer.body.error.requestId, name).toMatch(/^[0-9A-Za-z.-]{9,10}$/);
        expect(answer.headers['www-authenticate'], `${name} with ${kind}`).toBe(
          kind === 'none' || kind === 'empty'
            ? 'svc-session realm="svc-session" error="missing" error_description="no matching token was provided",Bearer realm="openziti-oidc" error="missing" error_description="no matching token was provided"'
            : 'svc-session realm="svc-session" error="invalid" error_description="token is invalid"',
        );
      }
    }
  });

  it('every administrative operation refuses an identity that is no administrator', async () => {
    await using server = await startController(await open());
    const user = await server.addUser(await server.signIn());
    const token = await server.signIn(user);
    expect(forAdmins.length).toBeGreaterThan(10);
    for (const { name, path, operation, request } of forAdmins) {
      const answer = await server.wire(operation.method, path, { token, ...request });
      expect([answer.status, answer.body.error.code], name).toEqual([401, 'UNAUTHORIZED']);
      expect(answer.headers['www-authenticate'], name).toBeUndefined();
    }
    expect((await server.wire('GET', '/edge/management/v1/current-api-session', { token })).status).toBe(200);
  });

  it.each(Object.entries(waysToBePartial))(
    'a session that %s reaches what answers its queries and enrols TOTP, and nothing else',
    async (_, signIn) => {
      await using server = await startController(await open());
      const admin = await server.signIn();
      const authPolicyId = await addPolicy(server, admin, { name: 'TOTP' });
      const user = await addUserUnder(server, admin, { authPolicyId, isAdmin: true });
      for (const { base, tree } of surfaces) {
        const own = operations.filter(({ name }) => name.startsWith(base));
        const partial = own.filter(({ operation }) => operation.access === 'partial');
        const described = partial.map(({ operation: { method, path } }) => `${method} ${path}`);
        expect(described.sort(), base).toEqual('currentApiSession' in tree ? openToPartial : []);
        const ending = partial.filter(({ operation }) => operation.method === 'DELETE');
        const token = await signIn(server, { admin, user, authPolicyId });
        for (const { name, path, operation, request } of [...own.filter((each) => !ending.includes(each)), ...ending]) {
          const answer = await server.wire(operation.method, path, { token, ...request });
          if (operation.access === 'anyone' || operation.access === 'partial') {
            // Others declare 401 when their credential is the certificate of the connection.
            const byCertificate = operation.errors?.includes('UNAUTHORIZED') ?? false;
            expect([answer.status === 401, answer.status >= 500], `${name} answered ${answer.status}`).toEqual([
              byCertificate,
              false,
            ]);
            continue;
          }
          expect([answer.status, answer.body.error.code], name).toEqual([401, 'UNAUTHORIZED']);
          expect('cause' in answer.body.error, name).toBe(false);
          expect(answer.headers['www-authenticate'], name).toBeUndefined();
        }
        if (ending.length > 0) {
          expect((await server.wire('GET', `${base}/current-api-session`, { token })).status).toBe(401);
        }
      }
    },
  );

  it('anonymous operations ignore a bad session', async () => {
    await using server = await startController(await open());
    for (const path of [
      '/',
      '/version',
      '/edge/client/v1',
      '/edge/management/v1/version',
      '/edge/v1/specs',
      '/.well-known/est/cacerts',
    ]) {
      expect((await server.wire('GET', path, { token: 'garbage' })).status, path).toBe(200);
    }
  });

  it('a token is taken from the session header only', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const path = '/edge/client/v1/current-api-session';
    for (const headers of [
      { authorization: `Bearer ${token}` },
      { cookie: `svc-session=${token}` },
      { 'x-session': token },
    ]) {
      expect((await server.wire('GET', path, { headers })).status).toBe(401);
    }
    expect((await server.wire('GET', `${path}?svc-session=${token}`)).status).toBe(401);
  });
});
