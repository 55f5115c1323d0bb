import { expect } from 'vitest';
import type { TestController } from './controller.ts';

const management = '/edge/management/v1';
const client = '/edge/client/v1';

/** Somebody who uses services, with an API session. */
export interface NetworkUser {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  token: string;
}

/** A part of a network: entities with names of their own, and calls of an administrator. */
export interface Network {
  readonly server: TestController;
  /** The token of an administrator. */
  readonly admin: string;
  /** Sends a call of the administrator and expects success. Returns the `data`. */
  // biome-ignore lint/suspicious/noExplicitAny: the tests assert the shapes of responses
  send(method: string, path: string, body?: object): Promise<any>;
  /** Creates an entity of the Management API and returns its id. */
  add(path: string, body?: object): Promise<string>;
  /** Creates an identity with these role attributes, and signs in as it. */
  addUser(roleAttributes?: readonly string[]): Promise<NetworkUser>;
  addService(roleAttributes?: readonly string[]): Promise<string>;
  addPolicy(policy?: object): Promise<string>;
  addCheck(check: object): Promise<string>;
  /** The call of a user, whatever its response. */
  as(
    user: { readonly token: string },
    method: string,
    path: string,
    body?: unknown,
  ): ReturnType<TestController['wire']>;
  signIn(user: NetworkUser, body?: object): Promise<string>;
}

let names = 0;

/** `everybody`: all identities reach all services through one router. */
export async function createNetwork(server: TestController, { routers = 1 } = {}): Promise<Network> {
  const admin = await server.signIn();
  const send: Network['send'] = async (method, path, body) => {
    const response = await server.wire(method, management + path, { token: admin, ...(body && { body }) });
    expect(response.status, response.text).toBeLessThan(300);
    return response.body.data;
  };
  const add: Network['add'] = async (path, body) => {
    names += 1;
    return (await send('POST', path, { name: `n${names}-${Math.random().toString(36).slice(2, 8)}`, ...body })).id;
  };
  const signIn: Network['signIn'] = async ({ username, password }, body = {}) => {
    const path = `${client}/authenticate?method=password`;
    const response = await server.wire('POST', path, { body: { username, password, ...body } });
    expect(response.status, response.text).toBe(200);
    return response.body.data.token;
  };
  if (routers > 0) {
    await Promise.all(Array.from({ length: routers }, () => add('/edge-routers', { roleAttributes: ['public'] })));
    const all = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] };
    await add('/edge-router-policies', { ...all, identityRoles: ['#all'] });
    await add('/service-edge-router-policies', { ...all, serviceRoles: ['#all'] });
  }
  return {
    ...{ server, admin, send, add, signIn },
    async addUser(roleAttributes = []) {
      const user = await server.addUser(admin);
      if (roleAttributes.length > 0) await send('PATCH', `/identities/${user.id}`, { roleAttributes });
      const signedIn = { ...user, token: '' };
      return Object.assign(signedIn, { token: await signIn(signedIn) });
    },
    addService: (roleAttributes = []) => add('/services', { encryptionRequired: false, roleAttributes }),
    addPolicy: (policy = {}) =>
      add('/service-policies', {
        type: 'Dial',
        semantic: 'AnyOf',
        identityRoles: ['#all'],
        serviceRoles: ['#all'],
        ...policy,
      }),
    addCheck: (check) => add('/posture-checks', check),
    as: ({ token }, method, path, body) =>
      server.wire(method, client + path, { token, ...(body === undefined ? {} : { body }) }),
  };
}
