import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';

const api = '/edge/management/v1';
const checks = `${api}/posture-checks`;
const empty = { data: {}, meta: {} };
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

/** What is sent for each kind, what is shown then, and another value of its members. */
const kinds: Record<string, { sent: object; shown: object; other: object; shownOther: object }> = {
  OS: {
    sent: {
      operatingSystems: [
        { type: 'Linux', versions: [] },
        { type: 'Windows', versions: ['>=10.0.0 <11.0.0', '7.x'] },
      ],
    },
    shown: {
      operatingSystems: [
        { type: 'Linux', versions: null },
        { type: 'Windows', versions: ['7.x', '>=10.0.0 <11.0.0'] },
      ],
    },
    other: {
      operatingSystems: [
        { type: 'iOS', versions: ['1.0.0'] },
        { type: 'iOS', versions: ['!=2.0.0'] },
      ],
    },
    shownOther: { operatingSystems: [{ type: 'iOS', versions: ['!=2.0.0'] }] },
  },
  DOMAIN: {
    sent: { domains: ['b.example', 'A.example', 'b.example'] },
    shown: { domains: ['A.example', 'b.example'] },
    other: { domains: ['c'] },
    shownOther: { domains: ['c'] },
  },
  MAC: {
    sent: { macAddresses: ['F0-18-98-00-00-01', 'f0:18:98:00:00:00', 'F018.9800.0000'] },
    shown: { macAddresses: ['f01898000000', 'f01898000001'] },
    other: { macAddresses: ['000000000000'] },
    shownOther: { macAddresses: ['000000000000'] },
  },
  PROCESS: {
    sent: { process: { osType: 'Windows', path: 'C:\\App.exe', hashes: ['BB', 'aa', 'AA'], signerFingerprint: 'CC' } },
    shown: { process: { osType: 'Windows', path: 'C:\\App.exe', hashes: ['aa', 'bb'], signerFingerprint: 'cc' } },
    other: { process: { osType: 'Linux', path: '/bin/app' } },
    shownOther: { process: { osType: 'Linux', path: '/bin/app', hashes: [] } },
  },
  PROCESS_MULTI: {
    sent: {
      semantic: 'AnyOf',
      processes: [{ osType: 'Linux', path: '/a', hashes: ['ef', 'AB'], signerFingerprints: ['cD'] }],
    },
    shown: {
      semantic: 'AnyOf',
      processes: [{ osType: 'Linux', path: '/a', hashes: ['AB', 'ef'], signerFingerprints: ['cD'] }],
    },
    other: {
      semantic: 'AllOf',
      processes: [
        { osType: 'macOS', path: '/b' },
        { osType: 'macOS', path: '/a' },
      ],
    },
    shownOther: {
      semantic: 'AllOf',
      processes: ['/b', '/a'].map((path) => ({ osType: 'macOS', path, hashes: [], signerFingerprints: [] })),
    },
  },
  MFA: {
    sent: { timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: false },
    shown: { timeoutSeconds: 60, promptOnWake: true },
    other: { timeoutSeconds: 0, promptOnWake: false, ignoreLegacyEndpoints: true },
    shownOther: { timeoutSeconds: -1, ignoreLegacyEndpoints: true },
  },
};

describe.each(storePairs)('posture checks on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  let names = 0;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const send = (method: string, path: string, body?: unknown) =>
    server.wire(method, path, { token, ...(body === undefined ? {} : { body }) });
  const read = async (id: string) => (await send('GET', `${checks}/${id}`)).body.data;
  const add = async (typeId: string, body: object = kinds[typeId]?.sent ?? {}) => {
    names += 1;
    const created = await send('POST', checks, { name: `check ${names}`, typeId, ...body });
    expect(created.status, created.text).toBe(201);
    return created.body.data.id as string;
  };
  const refusal = async (method: string, path: string, body: object) => {
    const { status, body: refused } = await send(method, path, body);
    return [status, refused.error?.code, refused.error?.cause?.field];
  };

  describe.each(Object.entries(kinds))('of the kind %s', (typeId, { sent, shown, other, shownOther }) => {
    it('are created, read, replaced, patched and deleted with the members of their kind alone', async () => {
      const foreign = Object.assign({}, ...Object.values(kinds).map((kind) => kind.sent));
      const name = `all of ${typeId}`;
      const id = await add(typeId, { ...foreign, ...sent, name, roleAttributes: ['b', 'a'], tags: { a: 1 } });
      const base = { id, createdAt: time, updatedAt: time, typeId, version: 1 };
      const _links = { self: { href: `./posture-checks/${id}` } };
      expect(await read(id)).toEqual({ ...base, _links, name, roleAttributes: ['a', 'b'], tags: { a: 1 }, ...shown });

      expect((await send('PATCH', `${checks}/${id}`, { typeId, ...other })).body).toEqual(empty);
      expect(await read(id)).toEqual({
        ...base,
        _links,
        name,
        roleAttributes: ['a', 'b'],
        tags: { a: 1 },
        ...shownOther,
      });
      expect((await send('PUT', `${checks}/${id}`, { typeId, name: `${name} 2`, ...sent })).body).toEqual(empty);
      expect(await read(id)).toEqual({ ...base, _links, name: `${name} 2`, roleAttributes: [], tags: {}, ...shown });
      expect((await send('DELETE', `${checks}/${id}`)).body).toEqual(empty);
      expect((await send('GET', `${checks}/${id}`)).status).toBe(404);
    });

    it('keep their members when a request has another kind', async () => {
      const id = await add(typeId);
      const foreign = typeId === 'DOMAIN' ? 'MAC' : 'DOMAIN';
      for (const method of ['PUT', 'PATCH']) {
        const name = `${method} ${typeId}`;
        const body = { name, typeId: foreign, ...kinds[foreign]?.sent, ...other };
        expect((await send(method, `${checks}/${id}`, body)).status).toBe(200);
        const now = await read(id);
        expect(now).toMatchObject({ name, typeId, ...shown });
        expect(Object.keys(now)).not.toContain(Object.keys(kinds[foreign]?.sent ?? {})[0]);
      }
    });

    it('need their kind in every request', async () => {
      const id = await add(typeId);
      const path = `${checks}/${id}`;
      for (const [method, at] of [
        ['POST', checks],
        ['PUT', path],
        ['PATCH', path],
      ] as const) {
        expect(await refusal(method, at, { name: 'x', ...sent })).toEqual([400, 'COULD_NOT_VALIDATE', 'typeId']);
        const unknown = { name: 'x', typeId: 'OTHER', ...sent };
        expect(await refusal(method, at, unknown)).toEqual([400, 'COULD_NOT_VALIDATE', 'typeId']);
      }
    });
  });

  it('need the members of their kind', async () => {
    for (const [typeId, member] of [
      ...[
        ['OS', 'operatingSystems'],
        ['DOMAIN', 'domains'],
        ['MAC', 'macAddresses'],
        ['PROCESS', 'process'],
      ],
      ...[['PROCESS_MULTI', 'semantic']],
    ]) {
      expect(await refusal('POST', checks, { name: 'x', typeId })).toEqual([400, 'COULD_NOT_VALIDATE', member]);
    }
    const id = await add('MFA', {});
    expect(await read(id)).toMatchObject({ timeoutSeconds: -1 });
  });

  it.each([
    ['OS', { operatingSystems: [] }, 'operatingSystems'],
    ['OS', { operatingSystems: [{ type: 'windows', versions: [] }] }, 'operatingSystems.0.type'],
    ['OS', { operatingSystems: [{ type: 'Windows', versions: ['>=Vista'] }] }, 'operatingSystems'],
    [
      'OS',
      { operatingSystems: [{ type: 'Windows', versions: ['1.2.3 '.repeat(17)] }] },
      'operatingSystems.0.versions.0',
    ],
    ['OS', { operatingSystems: [{ type: 'iOS', versions: Array(101).fill('1') }] }, 'operatingSystems.0.versions'],
    ['OS', { operatingSystems: Array(101).fill({ type: 'iOS', versions: null }) }, 'operatingSystems'],
    ['DOMAIN', { domains: [] }, 'domains'],
    ['MAC', { macAddresses: ['no address'] }, 'macAddresses'],
    ['PROCESS', { process: { path: '/a' } }, 'process.osType'],
    ['PROCESS_MULTI', { semantic: 'all', processes: [{ osType: 'Linux', path: '/a' }] }, 'semantic'],
  ])('of the kind %s refuse %j', async (typeId, body, field) => {
    const id = await add(typeId);
    for (const [method, path] of [
      ['POST', checks],
      ['PUT', `${checks}/${id}`],
      ['PATCH', `${checks}/${id}`],
    ] as const) {
      const whole = { ...kinds[typeId]?.sent, name: 'refused', typeId, ...body };
      expect(await refusal(method, path, whole)).toEqual([400, 'COULD_NOT_VALIDATE', field]);
    }
  });

  it('change only the sent members of MFA with a PATCH', async () => {
    const id = await add('MFA', { timeoutSeconds: 60, promptOnWake: true, promptOnUnlock: true });
    await send('PATCH', `${checks}/${id}`, { typeId: 'MFA', promptOnWake: false });
    expect(await read(id)).toMatchObject({ timeoutSeconds: 60, promptOnUnlock: true });
    expect(await read(id)).not.toHaveProperty('promptOnWake');
  });

  it('are found by kind, name and role attributes', async () => {
    const id = await add('MAC', { ...kinds.MAC?.sent, roleAttributes: ['found'] });
    const ids = async (query: string) =>
      (await send('GET', `${checks}?${query}`)).body.data.map((check: { id: string }) => check.id);
    expect(await ids('filter=typeId = "MAC" and anyOf(roleAttributes) = "found"')).toEqual([id]);
    expect(await ids('roleFilter=%23found')).toEqual([id]);
  });

  it('have five types, which every full session may read', async () => {
    const reader = await server.signIn(await server.addUser(token));
    const get = (path: string) => server.wire('GET', api + path, { token: reader });
    const { data } = (await get('/posture-check-types')).body;
    expect(data.map(({ id, name }: { id: string; name: string }) => [id, name])).toEqual([
      ['DOMAIN', 'Windows Domain Check'],
      ['MAC', 'MAC Address Check'],
      ['OS', 'Operating System Check'],
      ['PROCESS', 'Process Check'],
      ['PROCESS_MULTI', 'Process Multi Check'],
    ]);
    expect((await get('/posture-check-types/DOMAIN')).body.data).toEqual({
      ...{ id: 'DOMAIN', name: 'Windows Domain Check', createdAt: time, updatedAt: time, tags: {}, version: null },
      operatingSystems: [{ type: 'Windows', versions: ['10', '2000', '7', '8', 'Vista'] }],
      _links: { self: { href: './posture-check-types/DOMAIN' } },
    });
    expect((await get('/posture-check-types/MFA')).status).toBe(404);
    expect((await get('/posture-checks')).status).toBe(401);
    expect((await send('POST', `${api}/posture-check-types`, { name: 'x' })).status).toBe(405);
  });
});
