import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { adminCredentials, storePairs } from '../support/controller.ts';
import { writeCsr } from '../support/csr.ts';
import { runExecutable } from '../support/executable.ts';
import type { Block } from '../support/recipe.ts';
import { applyBlocks, copyRepository, recipeBlocks, runNode } from '../support/recipe.ts';
import type { Wire } from '../support/request.ts';
import { createWire } from '../support/request.ts';

const recipes = {
  entity: recipeBlocks('entity'),
  policy: recipeBlocks('policy'),
  authMethod: recipeBlocks('auth-method'),
  auditEvent: recipeBlocks('audit-event'),
  routerMessage: recipeBlocks('router-message'),
};
const blocks = Object.values(recipes).flat();
const api = '/edge/management/v1';
const minutes = 60_000;
const generators = [
  ...['generate-router-messages', 'generate-migrations', 'generate-descriptions', 'generate-docs'],
  ...['generate-sdk-operations', 'generate-operation-tables', 'generate-sdk-types'],
];
let copy = '';

beforeAll(async () => {
  copy = copyRepository();
  applyBlocks(copy, blocks);
  for (const generator of generators) {
    const { failed, output } = await runNode(copy, ['--conditions=source', `scripts/${generator}.ts`]);
    if (failed) throw new Error(`${generator} failed: ${output}`);
  }
}, 2 * minutes);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Runs a tool and expects success. */
async function expectSuccess(args: readonly string[], env: Record<string, string> = {}) {
  const { failed, output } = await runNode(copy, args, env);
  expect(failed ? output : '').toBe('');
}

/** How many lines of a recipe somebody writes. Tests do not count. */
function linesOf(recipe: readonly Block[]): number {
  const written = recipe
    .filter(({ path }) => !path.includes('.test.'))
    .flatMap(({ kind, lines }) => (kind === 'diff' ? lines.filter((line) => line.startsWith('+')) : lines));
  return written.filter((line) => line.trim() !== '').length;
}

describe('the repository after the recipes', () => {
  it('has few lines that were written by hand', () => {
    expect(linesOf(recipes.entity)).toBeLessThanOrEqual(40);
    // A room and a policy.
    expect(linesOf(recipes.policy)).toBeLessThanOrEqual(40 + 45);
  });

  it('has the types of the new entity in the server, the SDK and the tests', { timeout: 3 * minutes }, async () => {
    const project = 'packages/server/tsconfig.recipe.json';
    const files = ['src/main.ts', 'test/entities/printers.test.ts', 'test/support/global-setup.ts'];
    writeFileSync(join(copy, project), JSON.stringify({ extends: './tsconfig.json', include: [], files }));
    await expectSuccess(['node_modules/typescript/bin/tsc', '-p', project]);
  });

  it('is formatted and free of lint', async () => {
    const files = blocks.map(({ path }) => path).filter((path) => path.endsWith('.ts'));
    await expectSuccess(['node_modules/@biomejs/biome/bin/biome', 'ci', '--vcs-enabled=false', ...new Set(files)]);
  });

  it('passes its tests: the new one, the tables, the layers, the documents', { timeout: 3 * minutes }, async () => {
    const tests = ['entities/printers', 'entities/entity-schema', 'house/architecture', 'documents/openapi'].map(
      (name) => `packages/server/test/${name}.test.ts`,
    );
    tests.push('packages/server/src/routers/handlers/disks.test.ts');
    const env = { EDGE_TEST_POSTGRES_URL: inject('postgresUrl'), REDIS_URL: inject('redisUrl') };
    await expectSuccess(['node_modules/vitest/vitest.mjs', 'run', ...tests], env);
  });

  it('has commands for the entity, without a line of their own', async () => {
    const { output } = await runNode(copy, [
      '--conditions=source',
      'packages/cli/src/bin.ts',
      'printers',
      'create',
      '--help',
    ]);
    for (const option of ['--owner-id', '--role-attributes', '--pages-per-minute']) expect(output).toContain(option);
  });

  it('describes the event, and has its label in the same place', () => {
    const events = readFileSync(join(copy, 'docs/events.md'), 'utf8');
    expect(events).toContain('| `sessionCertificate.issued` |');
    // The server's tests cannot import the console.
    const labels = readFileSync(join(copy, 'packages/console/src/pages/audit-log/event-labels.ts'), 'utf8');
    const namesIn = (text: string, name: RegExp) => [...text.matchAll(name)].map((match) => match[1]);
    expect(namesIn(labels, /^ {2}'([\w.]+)':/gm)).toEqual(namesIn(events, /^\| `([\w.]+)` \| `.*?` \| `/gm));
  });

  it('describes the entity in the document of the API', () => {
    expect(existsSync(join(copy, 'docs/openapi/management.json'))).toBe(true);
    const { paths } = JSON.parse(readFileSync(join(copy, 'docs/openapi/management.json'), 'utf8'));
    const pathsWith = (part: string) =>
      Object.keys(paths)
        .filter((path) => path.includes(part))
        .toSorted();
    expect(pathsWith('/printers')).toEqual([
      '/identities/{id}/printers',
      '/printers',
      '/printers/{id}',
      '/printers/{id}/users',
    ]);
    expect(pathsWith('/room')).toEqual([
      '/identities/{id}/room-policies',
      '/identities/{id}/rooms',
      '/room-policies',
      '/room-policies/{id}',
      '/room-policies/{id}/identities',
      '/room-policies/{id}/rooms',
      '/room-role-attributes',
      '/rooms',
      '/rooms/{id}',
      '/rooms/{id}/room-policies',
    ]);
  });
});

interface Printers {
  readonly wire: Wire;
  readonly token: string;
  /** Returns the ids of the printers of a list. */
  list(query: string, path?: string): Promise<string[]>;
  create(path: string, body: object): Promise<string>;
}

describe.each(storePairs)('its controller on $stores', ({ open }) => {
  async function start(): Promise<Printers> {
    const dataDir = mkdtempSync(join(copy, 'data-'));
    const { databaseUrl, redisUrl } = await open();
    const env = {
      EDGE_DATA_DIR: dataDir,
      EDGE_ADMIN_PASSWORD: adminCredentials.password,
      ...(databaseUrl ? { EDGE_DATABASE_URL: databaseUrl } : {}),
      ...(redisUrl ? { EDGE_REDIS_URL: redisUrl } : {}),
    };
    const server = runExecutable([], env, join(copy, 'packages/server/src/main.ts'));
    onTestFinished(async () => {
      server.process.kill('SIGTERM');
      await server.exited;
    });
    const wire = createWire(await server.ready, join(dataDir, 'pki/ca.pem'));
    const session = await wire('POST', `${api}/authenticate?method=password`, { body: adminCredentials });
    const { token } = session.body.data;
    return {
      wire,
      token,
      async list(query, path = '/printers') {
        const page = await wire('GET', `${api}${path}?${new URLSearchParams(query)}`, { token });
        expect(page.text).toContain('"data"');
        return page.body.data.map(({ name }: { name: string }) => name);
      },
      async create(path, body) {
        const created = await wire('POST', `${api}${path}`, { token, body });
        expect([created.status, created.text]).toEqual([201, expect.any(String)]);
        return created.body.data.id;
      },
    };
  }

  const person = (name: string) => ({ name, type: 'User', isAdmin: false });

  it('creates, finds, changes and deletes printers', { timeout: minutes }, async () => {
    const { wire, token, list, create } = await start();
    const [ada, bob] = [await create('/identities', person('Ada')), await create('/identities', person('Bob'))];
    const lobby = await create('/printers', {
      name: 'lobby',
      ownerId: ada,
      roleAttributes: ['color'],
      users: [bob, ada],
    });
    const attic = await create('/printers', { name: 'attic', ownerId: bob, pagesPerMinute: 5 });
    const one = `${api}/printers/${lobby}`;
    const read = async () => (await wire('GET', one, { token })).body.data;

    const links = { self: { href: `./printers/${lobby}` }, users: { href: `./printers/${lobby}/users` } };
    const owner = { id: ada, name: 'Ada', entity: 'identities', _links: expect.any(Object) };
    const time = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await read()).toEqual({
      ...{ id: lobby, createdAt: time, updatedAt: time, tags: {}, _links: links, name: 'lobby', ownerId: ada, owner },
      ...{ roleAttributes: ['color'], pagesPerMinute: 20, users: [ada, bob].toSorted() },
    });

    expect(await list('filter=name = "attic"')).toEqual(['attic']);
    expect(await list('filter=anyOf(roleAttributes) = "color"')).toEqual(['lobby']);
    expect(await list(`filter=ownerId = "${bob}"`)).toEqual(['attic']);
    expect(await list('filter=owner.name = "Ada" and pagesPerMinute > 10')).toEqual(['lobby']);
    expect(await list(`filter=anyOf(users) = "${bob}"`)).toEqual(['lobby']);
    expect(await list('filter=isEmpty(users)')).toEqual(['attic']);
    expect(await list('filter=isEmpty(from users where name = "Bob")')).toEqual(['attic']);
    expect(await list('filter=pagesPerMinute < 99999999999&sort=name')).toEqual(['attic', 'lobby']);
    expect(await list('sort=pagesPerMinute')).toEqual(['attic', 'lobby']);
    expect(await list('sort=owner.name desc')).toEqual(['attic', 'lobby']);
    expect(await list('', `/identities/${ada}/printers`)).toEqual(['lobby']);
    expect(await list('sort=name', `/printers/${lobby}/users`)).toEqual(['Ada', 'Bob']);

    await wire('PATCH', one, { token, body: { roleAttributes: [], pagesPerMinute: 30 } });
    expect(await read()).toMatchObject({ name: 'lobby', ownerId: ada, roleAttributes: null, pagesPerMinute: 30 });
    await wire('PUT', one, { token, body: { name: 'hall', ownerId: bob } });
    expect(await read()).toMatchObject({ name: 'hall', ownerId: bob, pagesPerMinute: 20, users: null });

    expect((await wire('DELETE', `${api}/printers/${attic}`, { token })).status).toBe(200);
    expect(await list('')).toEqual(['hall']);
  });

  it('signs in with the new auth method, and writes the new entry', { timeout: minutes }, async () => {
    const { wire, token, create } = await start();
    const id = await create('/identities', { ...person('Ada'), enrollment: { updb: 'ada.l' } });
    const { enrollment } = (await wire('GET', `${api}/identities/${id}`, { token })).body.data;
    const client = '/edge/client/v1';
    await wire('POST', `${client}/enroll?method=updb&token=${enrollment.updb.token}`, {
      body: { password: 'a password of Ada' },
    });
    const signIn = (username: string) => wire('POST', `${client}/authenticate?method=local`, { body: { username } });
    expect((await signIn('nobody')).status).toBe(401);
    const session = await signIn('ada.l');
    expect([session.status, session.body.data.identityId]).toEqual([200, id]);
    const own = { token: session.body.data.token, body: { csr: writeCsr('Ada') } };
    expect((await wire('POST', `${client}/current-api-session/certificates`, own)).status).toBe(201);
    const query = new URLSearchParams({ filter: 'event = "sessionCertificate.issued"' });
    const log = (await wire('GET', `${api}/audit-log?${query}`, { token })).body.data;
    expect(log).toMatchObject([
      { identityId: id, entityType: 'apiSession', details: { certificateId: expect.any(String) } },
    ]);
  });

  it('refuses what is not there, what is taken and what is in use', { timeout: minutes }, async () => {
    const { wire, token, create } = await start();
    const [ada, bob] = [await create('/identities', person('Ada')), await create('/identities', person('Bob'))];
    const lobby = await create('/printers', { name: 'lobby', ownerId: ada, users: [bob] });
    const attic = await create('/printers', { name: 'attic', ownerId: ada });
    const refusal = async (method: string, path: string, body?: object) => {
      const { status, body: refused } = await wire(method, `${api}${path}`, { token, ...(body && { body }) });
      return { status, code: refused.error.code, cause: refused.error.cause };
    };

    const message = 'identity with id nobody not found';
    const unknown = { status: 404, code: 'NOT_FOUND', cause: { code: 'UNHANDLED', message } };
    expect(await refusal('POST', '/printers', { name: 'x', ownerId: 'nobody' })).toEqual(unknown);
    expect(await refusal('PATCH', `/printers/${lobby}`, { users: ['nobody'] })).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
    });
    const taken = { field: 'name', reason: 'name must be unique', value: 'attic' };
    for (const [method, path] of [
      ['POST', '/printers'],
      ['PUT', `/printers/${lobby}`],
    ] as const) {
      expect(await refusal(method, path, { name: 'attic', ownerId: ada })).toMatchObject({
        status: 400,
        code: 'COULD_NOT_VALIDATE',
        cause: taken,
      });
    }
    expect(await refusal('POST', '/printers', { name: 'x' })).toMatchObject({
      status: 400,
      code: 'COULD_NOT_VALIDATE',
    });

    const inUse = { field: 'ownerId', reason: expect.stringContaining('referenced by printer') };
    expect(await refusal('DELETE', `/identities/${ada}`)).toMatchObject({
      status: 409,
      code: 'CAN_NOT_DELETE_REFERENCED_ENTITY',
      cause: inUse,
    });
    expect((await wire('DELETE', `${api}/identities/${bob}`, { token })).status).toBe(200);
    expect((await wire('GET', `${api}/printers/${lobby}`, { token })).body.data.users).toBeNull();
    for (const id of [lobby, attic]) await wire('DELETE', `${api}/printers/${id}`, { token });
    expect((await wire('DELETE', `${api}/identities/${ada}`, { token })).status).toBe(200);
  });

  it('selects on both sides of a policy, and shows callers their rooms', { timeout: minutes }, async () => {
    const { wire, token, list, create } = await start();
    const [ada, bob] = [
      await create('/identities', {
        ...person('Ada'),
        roleAttributes: ['sales', 'rome'],
        enrollment: { updb: 'ada.l' },
      }),
      await create('/identities', { ...person('Bob'), roleAttributes: ['sales'] }),
    ];
    const room = { hasAlarm: true };
    const large = 2 ** 40;
    const hall = await create('/rooms', {
      ...room,
      ...{ name: 'hall', roleAttributes: ['office'], maxStayMillis: large, equipment: { chairs: 25 } },
    });
    await create('/rooms', { ...room, name: 'lobby', roleAttributes: ['office', 'inner'] });
    const policy = { type: 'Enter', identityRoles: ['#sales', '#rome'], roomRoles: ['#inner', `@${hall}`] };
    const id = await create('/room-policies', { ...policy, name: 'office', semantic: 'AllOf' });
    const read = async (path: string) => (await wire('GET', `${api}${path}`, { token })).body;

    expect((await read(`/rooms/${hall}`)).data).toMatchObject({ maxStayMillis: large, equipment: { chairs: 25 } });
    expect((await read(`/room-policies/${id}`)).data).toMatchObject({
      ...{ identityRoles: ['#rome', '#sales'], roomRoles: ['#inner', `@${hall}`] },
      roomRolesDisplay: [
        { role: '#inner', name: '#inner' },
        { role: `@${hall}`, name: '@hall' },
      ],
      _links: { identities: { href: `./room-policies/${id}/identities` } },
    });
    expect(await list('', `/room-policies/${id}/identities`)).toEqual(['Ada']);
    expect(await list('sort=name', `/room-policies/${id}/rooms`)).toEqual(['hall', 'lobby']);
    expect(await list('sort=name', `/identities/${ada}/rooms`)).toEqual(['hall', 'lobby']);
    expect(await list('', `/identities/${bob}/rooms`)).toEqual([]);
    expect(await list('', `/rooms/${hall}/room-policies`)).toEqual(['office']);
    await wire('PATCH', `${api}/room-policies/${id}`, { token, body: { semantic: 'AnyOf' } });
    expect(await list('sort=name', `/identities/${bob}/rooms`)).toEqual(['hall', 'lobby']);
    expect(await list('filter=name = "hall"', `/identities/${bob}/rooms`)).toEqual(['hall']);

    const client = '/edge/client/v1';
    const enrollment = (await read(`/identities/${ada}`)).data.enrollment.updb.token;
    const password = 'a password of Ada';
    await wire('POST', `${client}/enroll?method=updb&token=${enrollment}`, { body: { password } });
    const credentials = { username: 'ada.l', password };
    const session = await wire('POST', `${client}/authenticate?method=password`, { body: credentials });
    const own = async (path: string) => await wire('GET', `${client}${path}`, { token: session.body.data.token });
    const names = async () => (await own('/rooms?sort=name')).body.data.map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['hall', 'lobby']);
    expect((await own(`/rooms/${hall}`)).body.data.name).toBe('hall');
    await wire('PATCH', `${api}/room-policies/${id}`, { token, body: { roomRoles: ['#inner'] } });
    expect(await names()).toEqual(['lobby']);
    expect((await own(`/rooms/${hall}`)).status).toBe(404);
    expect((await wire('GET', `${client}/rooms`)).status).toBe(401);
  });
});
