import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ApiTree, Operation } from '@edge-controller/shared-types';
import {
  clientApi,
  contracts,
  fabricApi,
  grantable,
  managementApi,
  permissionNames,
} from '@edge-controller/shared-types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addPolicy } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController } from '../support/controller.ts';
import type { WireAnswer } from '../support/request.ts';
import { sampleOf } from '../support/sample-of.ts';
import type { Subject } from '../support/subjects.ts';
import { addSubject } from '../support/subjects.ts';

const surfaces: { base: string; tree: ApiTree }[] = [
  { base: '/edge/client/v1', tree: clientApi },
  { base: '/edge/management/v1', tree: managementApi },
  { base: '/fabric/v1', tree: fabricApi },
];

interface Case {
  readonly name: string;
  readonly resource: string;
  readonly base: string;
  readonly operation: Operation;
}

const cases: Case[] = surfaces.flatMap(({ base, tree }) =>
  Object.entries(tree).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({
      name: `${base} ${resource}.${verb}`,
      resource,
      base,
      operation,
    })),
  ),
);

/** What belongs to an identity: identities, API sessions, and every entity that refers to an identity. */
const belonging = new Set([
  'apiSessions',
  'identities',
  ...Object.entries(contracts).flatMap(([name, { fields }]) =>
    Object.values(fields).some((field) => 'to' in field && field.kind === 'reference' && field.to === 'identities')
      ? [name]
      : [],
  ),
]);
const hasOwner = ({ body }: Operation) => body instanceof z.ZodObject && 'identityId' in body.shape;
/** Whether a request names something that belongs to an identity. */
const namesTarget = ({ resource, base, operation }: Case) =>
  belonging.has(resource) &&
  base.includes('management') &&
  operation.access === 'admin' &&
  (operation.path.includes('{') || hasOwner(operation));

interface Role {
  readonly name: string;
  readonly isAdmin?: boolean;
  readonly isPartial?: boolean;
  readonly permissions?: readonly string[];
}

const roles: Role[] = [
  { name: 'none' },
  ...permissionNames.map((name) => ({ name, permissions: [name] })),
  { name: 'an administrator', isAdmin: true },
  { name: 'a partial session of an administrator', isAdmin: true, isPartial: true },
];

/** What the contract of an operation says about a role. */
function isAllowed(
  { access, permission = 'admin' }: Operation,
  { isAdmin, isPartial, permissions = [] }: Role,
): boolean {
  if (access === 'anyone' || access === 'partial') return true;
  if (isPartial) return false;
  if (access === 'full' || isAdmin) return true;
  const [entity = '', action] = permission.split('.');
  if (action === undefined) return false;
  return permissions.some(
    (held) => held === permission || held === entity || (held === 'admin_readonly' && action === 'read'),
  );
}

/** Whether a session lacks the permission, or is partial. Every other refusal has a cause or a challenge. */
function isRefused({ status, headers, body }: WireAnswer): boolean {
  return status === 401 && body.error.code === 'UNAUTHORIZED' && !body.error.cause && !headers['www-authenticate'];
}

it('every permission of an operation can be granted, except that to read authenticators', () => {
  const named = cases.flatMap(({ operation: { permission } }) => permission ?? []);
  const others = [...new Set(named)].filter((name) => !(permissionNames as readonly string[]).includes(name));
  expect(others.toSorted()).toEqual(['admin', 'authenticator.read']);
});

it('the document of permissions names every entity', () => {
  const text = readFileSync(fileURLToPath(new URL('../../../../docs/permissions.md', import.meta.url)), 'utf8');
  expect(Object.keys(grantable).filter((entity) => !text.includes(`\`${entity}\``))).toEqual([]);
});

describe('every operation', () => {
  let server: TestController;
  let admin: string;
  let policyId: string;
  let boss: Subject;
  let somebody: Subject;
  /** The operations that need something else, too, such as a proven certificate. An administrator does not have it either. */
  const refusedToAll = new Set<string>();

  beforeAll(async () => {
    server = await startController();
    admin = await server.signIn();
    policyId = await addPolicy(server, admin, { name: 'TOTP', secondary: { requireTotp: true } });
    boss = await addSubject(server, admin, { isAdmin: true });
    somebody = await addSubject(server, admin);
    const other = await addSubject(server, admin, { isAdmin: true });
    const mayRefuse = ({ access, errors = [] }: Operation) => access === 'full' || errors.includes('UNAUTHORIZED');
    for (const each of cases.filter(({ operation }) => mayRefuse(operation))) {
      if (isRefused(await send(each, other.token, other))) refusedToAll.add(each.name);
    }
    expect(refusedToAll.size).toBeLessThan(cases.length / 20);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const add = ({ isAdmin = false, isPartial = false, permissions = [] }: Role) =>
    addSubject(server, admin, { isAdmin, permissions, ...(isPartial && { authPolicyId: policyId }) });

  /** Sends an operation about what belongs to `target`, with a body that its schema makes. */
  async function send({ base, resource, operation }: Case, token: string, { ids }: Subject): Promise<WireAnswer> {
    const path = base + operation.path.replaceAll(/\{\w+\}/g, ids[resource] ?? 'no-such-id');
    const sample = operation.body && sampleOf(operation.body);
    const body = hasOwner(operation) ? { ...(sample as object), identityId: ids.identities } : sample;
    return await server.wire(operation.method, path, { token, ...(body !== undefined && { body }) });
  }

  async function check(role: Role, each: Case, { token, target }: { token: string; target: Subject }): Promise<void> {
    const allowed = isAllowed(each.operation, role) && !refusedToAll.has(each.name);
    const answer = await send(each, token, target);
    const isChangeOfBoss = target === boss && each.operation.method !== 'GET';
    const found = {
      isRefused: isRefused(answer),
      isFault: answer.status >= 500,
      changesBoss: isChangeOfBoss && !role.isAdmin && answer.status !== 401,
      secrets: role.isAdmin ? [] : boss.secrets.filter((secret) => answer.text.includes(secret)),
    };
    const label = `${each.name} for ${role.name}: ${answer.status} ${answer.text.slice(0, 200)}`;
    expect(found, label).toEqual({ isRefused: !allowed, isFault: false, changesBoss: false, secrets: [] });
  }

  it.each(roles)('is open to $name as its contract says, and never to change an administrator', async (role) => {
    const own = await add(role);
    const relevant = cases.filter(({ operation }) => operation.access !== 'anyone' || role.permissions === undefined);
    const changes = ({ operation }: Case) => operation.method !== 'GET' && isAllowed(operation, role);
    const targetsOf = (each: Case) => (namesTarget(each) ? [own, role.isAdmin ? somebody : boss] : [own]);
    const { token } = own;
    const without = relevant.filter((each) => !changes(each));
    await Promise.all(without.flatMap((each) => targetsOf(each).map((target) => check(role, each, { token, target }))));
    for (const each of relevant.filter(changes)) {
      if (!namesTarget(each)) {
        const subject = endsOwnSessions(each) ? await add(role) : own;
        await check(role, each, { token: await tokenFor(each, subject), target: subject });
        continue;
      }
      const self = await add(role);
      await check(role, each, { token: self.token, target: self });
      await check(role, each, { token, target: await addSubject(server, admin) });
      if (!role.isAdmin) await check(role, each, { token, target: boss });
    }
  });

  const endsOwnSessions = ({ operation: { method, path } }: Case) =>
    method === 'DELETE' && path === '/current-identity/api-sessions';

  /** A deletion may be that of the session. */
  const tokenFor = async ({ operation }: Case, subject: Subject) =>
    operation.method === 'DELETE' ? await server.signIn(subject) : subject.token;

  it('has left the administrator as it was', async () => {
    const path = '/edge/management/v1';
    const { identities = '', enrollments = '', apiSessions = '' } = boss.ids;
    const read = async (place: string) => (await server.wire('GET', path + place, { token: admin })).body.data;
    expect(await read(`/identities/${identities}`)).toMatchObject({
      name: boss.username,
      isAdmin: true,
      disabled: false,
    });
    const secrets = [
      (await read(`/api-sessions/${apiSessions}`)).token,
      ...(({ token, jwt }) => [token, jwt])(await read(`/enrollments/${enrollments}`)),
    ];
    expect(secrets).toEqual(boss.secrets);
    await server.signIn(boss);
  });
});
