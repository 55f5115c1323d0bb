import { contracts } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { entriesOf } from '../support/audit.ts';
import { startController, storePairs } from '../support/controller.ts';
import { inAnHour } from '../support/enrollments.ts';
import { caBody } from '../support/registered-cas.ts';
import { createTestCa } from '../support/test-ca.ts';

const api = '/edge/management/v1';
const secretLike = /secret|password|token|jwt|code|pin|key|seal|proof/i;
/** Stored members whose names only look like secrets: prints of public keys, settings, flags. */
const harmless = [
  'publicKeyPrint',
  'isKeyRollRequested',
  'lastExtendRolledKeys',
  'targetToken',
  'enrollToTokenEnabled',
];

type Entity = keyof typeof contracts;
/** What the PATCH of some entities requires. */
const needed = { typeId: 'DOMAIN', data: {} };
/** What nobody can create over the API. */
const madeByController: readonly Entity[] = ['identityTypes', 'postureCheckTypes'];

it('every stored field with the name of a secret is hidden, or known to be none', () => {
  const open = Object.entries(contracts).flatMap(([entity, { fields }]) =>
    Object.entries(fields).flatMap(([name, field]) => {
      const isStored = field.kind !== 'derived' && field.kind !== 'input';
      return isStored && secretLike.test(name) && !('secret' in field) ? [`${entity}.${name}`] : [];
    }),
  );
  expect(open.filter((name) => !harmless.includes(name.split('.')[1] ?? ''))).toEqual([]);
});

/** All texts at members with the name of a secret, at any depth. */
function secretsIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && secretLike.test(name) && !harmless.includes(name) && member.length > 5
      ? [member]
      : secretsIn(member),
  );
}

describe.each(storePairs)('the audit log on $stores', ({ open }) => {
  it('has no secret of any entity when it is made, changed and deleted, and events have none', async () => {
    await using server = await startController(await open());
    const events: unknown[] = [];
    server.controller.events.on(['entity.created', 'entity.updated', 'entity.deleted'], (change) =>
      events.push(change),
    );
    const token = await server.signIn();
    const send = async (method: string, path: string, body?: object) => {
      const { status, text, body: answer } = await server.wire(method, api + path, { token, ...(body && { body }) });
      expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
      return answer.data;
    };
    const made = new Map<Entity, string>();
    const create = async (entity: Entity, body: object) => {
      const { id } = await send('POST', `/${contracts[entity].collection}`, body);
      made.set(entity, id);
      return id as string;
    };
    const roles = { semantic: 'AnyOf', identityRoles: ['#all'] };
    const password = 'a password of a user';
    const identityId = await create('identities', { name: 'ada', type: 'User', isAdmin: false });
    await create('authenticators', { method: 'updb', identityId, username: 'ada-1', password });
    await create('enrollments', { method: 'ott', identityId, expiresAt: inAnHour() });
    await create('authPolicies', await policyBody());
    await create('cas', caBody(createTestCa()));
    const configTypeId = await create('configTypes', { name: 'a type' });
    await create('configs', { name: 'a config', configTypeId, data: {} });
    const serviceId = await create('services', { name: 'db', encryptionRequired: true });
    const routerId = await create('edgeRouters', { name: 'east' });
    await create('transitRouters', { name: 'transit' });
    const secret = Buffer.from('a secret of a host').toString('base64');
    await create('terminators', {
      ...{ service: serviceId, router: routerId, binding: 'edge', address: 'a', identity: 'x', identitySecret: secret },
    });
    await create('edgeRouterPolicies', { name: 'p', ...roles, edgeRouterRoles: ['#all'] });
    await create('serviceEdgeRouterPolicies', {
      ...{ name: 'p', semantic: 'AnyOf', serviceRoles: ['#all'], edgeRouterRoles: ['#all'] },
    });
    await create('servicePolicies', { name: 'p', type: 'Dial', ...roles, serviceRoles: ['#all'] });
    await create('postureChecks', { name: 'p', typeId: 'DOMAIN', domains: ['example.com'] });
    await create('externalJwtSigners', {
      ...{ name: 's', enabled: false, issuer: 'https://id.example', audience: 'a' },
      jwksEndpoint: 'https://id.example/keys',
    });
    const creatable = (Object.keys(contracts) as Entity[]).filter((entity) => !madeByController.includes(entity));
    expect([...made.keys()].toSorted()).toEqual(creatable.toSorted());

    const details = await Promise.all(
      [...made].map(([entity, id]) => send('GET', `/${contracts[entity].collection}/${id}`)),
    );
    const secrets = [...secretsIn(details), password, secret, token];
    expect(secrets.length).toBeGreaterThan(8);
    for (const [entity, id] of [...made].toReversed()) {
      const path = `/${contracts[entity].collection}/${id}`;
      if (entity !== 'enrollments' && entity !== 'authenticators')
        await send('PATCH', path, { ...needed, tags: { a: 'b' } });
      await send('DELETE', path);
    }
    const text = JSON.stringify([await entriesOf(server, token), events]);
    expect(text).toContain('"isVerified":false');
    expect(secrets.filter((value) => text.includes(value))).toEqual([]);

    async function policyBody() {
      const { primary, secondary } = await send('GET', '/auth-policies/default');
      return { name: 'a policy', primary, secondary };
    }
  });
});
