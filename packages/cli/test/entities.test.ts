import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createEdge, signedInEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const signedIn = () => signedInEdge(controller);

describe('entities on the command line', () => {
  it('are created, listed, changed and deleted, by id and by name', async () => {
    const edge = await signedIn();
    const create = ['identities', 'create', '--name', 'sensor-1', '--type', 'device', '--no-is-admin'];
    const id = await edge.ok([
      ...create,
      '--role-attributes',
      'a,b',
      '--role-attributes',
      'c',
      '--tags',
      'room=4',
      '-q',
    ]);
    expect(id).toMatch(/^\S{5,}$/);
    const shown = JSON.parse(await edge.ok(['identities', 'get', '@sensor-1', '-o', 'json']));
    expect(shown).toMatchObject({ id, roleAttributes: ['a', 'b', 'c'], tags: { room: '4' }, isAdmin: false });
    await edge.ok(['identities', 'patch', '@sensor-1', '--is-admin', '--default-hosting-cost', '7']);
    const rows = JSON.parse(
      await edge.ok([
        'identities',
        'list',
        '--filter',
        'name contains "sensor"',
        '-o',
        'json',
        '--columns',
        'name,isAdmin',
      ]),
    );
    expect(rows).toEqual([{ name: 'sensor-1', isAdmin: true }]);
    await edge.ok(['identities', 'delete', '--', id]);
    expect(await edge.ok(['identities', 'list', '--filter', 'name = "sensor-1"', '-q'])).toBe('');
  });

  it('take members of members, JSON, and bodies from a file or the standard input', async () => {
    const edge = await signedIn();
    const body = JSON.stringify({
      name: 'strict',
      primary: { cert: { allowed: true, allowExpiredCerts: false }, extJwt: { allowed: false, allowedSigners: [] } },
      secondary: { requireTotp: false },
    });
    const updb = { allowed: true, minPasswordLength: 5, requireSpecialChar: false, requireNumberChar: false };
    const rest = { requireMixedCase: false, maxAttempts: 0, lockoutDurationMinutes: 0 };
    const options = [
      '--primary.updb',
      JSON.stringify({ ...updb, ...rest }),
      '--primary.updb.min-password-length',
      '15',
    ];
    const id = await edge.ok(['auth-policies', 'create', '--body', '-', ...options, '-q'], { input: body });
    const policy = parse(await edge.ok(['auth-policies', 'get', id, '-o', 'yaml']));
    expect(policy.primary.updb).toMatchObject({ allowed: true, minPasswordLength: 15 });
    writeFileSync(join(edge.folder, 'type.json'), '{"type":"object"}');
    await edge.ok(['config-types', 'create', '--name', 'host', '--schema', '@type.json']);
    await edge.ok(['configs', 'create', '--name', 'web', '--config-type-id', '@host', '--data', '{"port":1}']);
    expect(await edge.ok(['configs', 'list', '-o', 'csv', '--columns', 'name,configType.name,data'])).toBe(
      'name,configType.name,data\nweb,host,"{""port"":1}"',
    );
    await edge.ok(['auth-policies', 'delete', '@strict']);
  });

  it('may be named in roles, and in the path twice', async () => {
    const edge = await signedIn();
    const ada = await edge.ok(['identities', 'create', '--name', 'Ada', '--type', 'User', '--no-is-admin', '-q']);
    await edge.ok(['services', 'create', '--name', 'printer', '--encryption-required']);
    const roles = ['--identity-roles', '@Ada,#staff', '--service-roles', '@printer'];
    await edge.ok(['service-policies', 'create', '--name', 'p', '--type', 'Dial', '--semantic', 'AnyOf', ...roles]);
    const [policy] = JSON.parse(await edge.ok(['service-policies', 'list', '-o', 'json']));
    expect(policy.identityRoles).toEqual(expect.arrayContaining([`@${ada}`, '#staff']));
    const advice = JSON.parse(await edge.ok(['identities', 'policy-advice', '@Ada', '@printer', '-o', 'json']));
    expect(advice.isDialAllowed).toBe(true);
    expect(await edge.ok(['identities', 'services', '@Ada', '-q', '--policy-type', 'dial'])).toHaveLength(
      (await edge.ok(['services', 'list', '-q'])).length,
    );
  });

  it('are deleted by the ids of the standard input; a failure does not stop the rest', async () => {
    const edge = await signedIn();
    for (const name of ['x1', 'x2']) await edge.ok(['services', 'create', '--name', name, '--no-encryption-required']);
    const ids = await edge.ok(['services', 'list', '--filter', 'name contains "x"', '-q']);
    const done = await edge.run(['services', 'delete', 'nothing', '-'], { input: ids });
    expect(done).toMatchObject({ code: 1, stdout: '' });
    expect(done.stderr).toContain('1 of 3 failed');
    expect(await edge.ok(['services', 'list', '--filter', 'name contains "x"', '-q'])).toBe('');
  });

  it('are listed page by page, and a note says that there are more', async () => {
    const edge = await signedIn();
    await Promise.all(
      Array.from({ length: 620 }, (_one, at) =>
        controller.admin.management.services.create({ name: `many-${at}`, encryptionRequired: true }),
      ),
    );
    const list = ['services', 'list', '--filter', 'name contains "many-"', '-q'];
    const some = await edge.run(list);
    expect(some.stdout.trim().split('\n')).toHaveLength(100);
    expect(some.stderr).toContain('100 of 620 rows; --limit all shows all');
    const all = await edge.run([...list, '--limit', 'all']);
    expect(new Set(all.stdout.trim().split('\n')).size).toBe(620);
    expect(all.stderr).toBe('');
    const { stdout: most } = await edge.run([...list, '--limit', '610']);
    expect(new Set(most.trim().split('\n')).size).toBe(610);
    const network = await edge.ok(['export', 'services', '--filter', 'name contains "many-"', '-o', 'json']);
    expect(JSON.parse(network).services).toHaveLength(620);
  });

  it('without ids are listed page by page, too', async () => {
    const edge = await signedIn();
    const { services, auditLog } = controller.admin.management;
    const names = Array.from({ length: 40 }, (_one, at) => Array.from({ length: 15 }, (_two, of) => `of-${at}-${of}`));
    await Promise.all(
      names.map((roleAttributes, at) =>
        services.create({ name: `attributes-${at}`, encryptionRequired: true, roleAttributes }),
      ),
    );
    const attributes = await edge.ok(['services', 'role-attributes', '--quiet']);
    expect(new Set(attributes.trim().split('\n')).size).toBeGreaterThanOrEqual(600);
    const entries = await edge.run(['audit-log', 'list', '--limit', 'all', '--quiet', '--columns', 'sequence']);
    const sequences = entries.stdout.trim().split('\n').map(Number);
    const { data } = await auditLog.list({ limit: 1 });
    expect(sequences.at(0)).toBe(data[0]?.sequence);
    expect(sequences).toEqual(sequences.toSorted((a, b) => b - a));
    expect([sequences.at(-1), new Set(sequences).size]).toEqual([1, sequences.length]);
    expect(sequences.length).toBe(sequences[0]);
  });

  it('appear in a table without colours and control characters', async () => {
    const edge = await signedIn();
    await controller.admin.management.services.create({ name: 'evil \u001b[31m\u0007', encryptionRequired: true });
    const table = await edge.ok(['services', 'list', '--filter', 'name contains "evil"']);
    expect(table).toMatch(/^id +name +encryptionRequired/);
    expect(table).toContain('evil \ufffd[31m\ufffd');
    expect(table).not.toContain('\u001b');
  });

  it('of the Client API are found by name there, by somebody who may not use the Management API', async () => {
    const edge = createEdge();
    const ada = await controller.createIdentity();
    const { services, servicePolicies } = controller.admin.management;
    await services.create({ name: 'wiki', encryptionRequired: true });
    const roles = { identityRoles: [`@${ada.id}`], serviceRoles: ['#all'] };
    await servicePolicies.create({ name: 'of Ada', type: 'Dial', semantic: 'AnyOf', ...roles });
    const login = ['login', controller.url, '--ca', controller.caFile, '--username', ada.username, '--password-stdin'];
    await edge.ok(login, { input: ada.password });
    expect(await edge.ok(['client', 'services', 'get', '@wiki', '-q', '--columns', 'name'])).toBe('wiki');
    expect(await edge.ok(['complete', '--', 'client', 'services', 'get', '@wi'])).toBe('@wiki');
    const done = await edge.run(['services', 'list']);
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('it needs the permission service.read') });
  });

  it('have documents, which are written as they are', async () => {
    const edge = await signedIn();
    const document = JSON.parse(await edge.ok(['specs', 'openapi']));
    expect(document.openapi).toMatch(/^3\.1/);
    await edge.ok(['client', 'specs', 'spec', 'edge-client', '--out', 'spec.yaml']).catch(() => undefined);
    expect(await edge.ok(['client', 'version', 'get', '-o', 'json'])).toContain('"version"');
  });
});

describe('wrong usage', () => {
  it.each([
    [['identities', 'crate'], /unknown command 'crate'\n\(Did you mean create\?\)/],
    [['identites'], /Did you mean identities\?.*edge --help shows all commands/s],
    [['identities', 'frob'], /Verbs of identities: list, .*create/],
    [['identities', 'list', '--columns', 'id,nme'], /there is no "nme"\nColumns: id, name, /],
    [['identities', 'get', '@Default Admin', '--columns', 'nme'], /there is no "nme"\nColumns: id, name, /],
    [['identities', 'create', '--nmae', 'x'], /unknown option '--nmae'\n\(Did you mean --name\?\)/],
    [
      ['identities', 'delete', '-TDsv2LpSe'],
      /unknown option '-TDsv2LpSe'\n\(If -TDsv2LpSe is an id, write -- before it\.\)/,
    ],
    [['identities', 'create', '--name', 'x'], /--type, --is-admin are missing/],
    [['identities', 'create', '--type', 'Robot'], /--type "Robot": must be one of User, Device/],
    [['services', 'create', '--max-idle-time-millis', 'long'], /--max-idle-time-millis "long": must be an integer/],
    [['identities', 'create', '--tags', 'x'], /--tags "x": must be key=value/],
    [['identities', 'create', '--body', '{'], /--body is not valid JSON/],
    [['identities', 'list', '--limit', 'x'], /--limit "x": must be a number of rows, or all/],
    [['identities', 'list', '--output', 'xml'], /--output <format>' argument 'xml' is invalid/],
    [['identities', 'get'], /missing required argument 'id'/],
  ])('edge %s names what is wrong, and ends with 2', async (args, message) => {
    const edge = await signedIn();
    const { code, stdout, stderr } = await edge.run(args);
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('of a member that the controller refuses names its option, and ends with 1', async () => {
    const edge = await signedIn();
    const args = ['services', 'create', '--name', 'twice', '--encryption-required'];
    await edge.ok(args);
    const { code, stderr } = await edge.run(args);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('The option is --name') });
  });

  it('of a symbol that a filter does not know lists those that it knows', async () => {
    const edge = await signedIn();
    const { code, stderr } = await edge.run(['identities', 'list', '--filter', 'nam = "x"']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/unknown symbol nam .*\nSymbols: .*\bname\b.*\broleAttributes\b/s);
  });

  it('of a filter that cannot be read shows how texts and times are written', async () => {
    const edge = await signedIn();
    const { code, stderr } = await edge.run(['identities', 'list', '--filter', 'name = Bob']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('name = "Bob"; times: datetime(') });
    expect(stderr).not.toContain('Symbols');
  });

  it('of a name that does not exist suggests others, and ends with 4', async () => {
    const edge = await signedIn();
    await controller.admin.management.identities.create({ name: 'boiler-7', type: 'Device', isAdmin: false });
    const { code, stderr } = await edge.run(['identities', 'get', '@boiler-8']);
    expect(code).toBe(4);
    expect(stderr).toContain('Did you mean @boiler-7?');
    expect((await edge.run(['identities', 'get', 'nothing'])).code).toBe(4);
  });

  it('of a name in place of an id shows how names are given', async () => {
    const edge = await signedIn();
    const get = await edge.run(['identities', 'get', 'sensor 7']);
    expect(get.code).toBe(4);
    expect(get.stderr).toContain("A name begins with @: edge identities get '@sensor 7'\n");
    const advice = await edge.run(['policy-advice', 'Ada', 'web']);
    expect(advice).toMatchObject({ code: 4, stderr: expect.stringContaining('edge policy-advice @Ada @web\n') });
  });

  it('of an entity without a name shows how its id is found', async () => {
    const edge = await signedIn();
    const text = await edge.run(['api-sessions', 'delete', 'Bob']);
    const find = 'edge api-sessions list --filter';
    expect(text).toMatchObject({ code: 4, stderr: expect.stringContaining(`${find} 'identity = "<id>"'\n`) });
    const name = await edge.run(['api-sessions', 'delete', '@Bob']);
    expect(name).toMatchObject({ code: 2, stderr: expect.stringContaining(`${find} 'identity = "<id>"'\n`) });
    const { id } = await controller.createIdentity({ name: 'Bob' });
    const known = await edge.run(['api-sessions', 'delete', '@Bob']);
    expect(known).toMatchObject({ code: 2, stderr: expect.stringContaining(`${find} 'identity = "${id}"'\n`) });
    expect(await edge.ok(['api-sessions', 'list', '-q', '--filter', `identity = "${id}"`])).toBe('');
  });

  it('of the audit log say first when, what and who', async () => {
    const edge = await signedIn();
    const [head] = (await edge.ok(['audit-log', 'list', '--limit', '3'])).split('\n');
    expect(head).toMatch(/^createdAt +event +outcome +/);
    expect(head).not.toContain('hash');
  });

  it('of a list without rows is said, but not to a program', async () => {
    const edge = await signedIn();
    const list = ['api-sessions', 'list', '--filter', 'identity = "@nobody"'];
    const { code, stderr } = await edge.run(list);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/^no rows; a filter compares identity with an id/),
    });
    expect((await edge.run([...list, '--quiet'])).stderr).toBe('');
    expect((await edge.run([...list, '--output', 'csv'])).stderr).toBe('');
  });
});

describe('examples of the help', () => {
  it('are shown by edge help as by --help', async () => {
    const edge = createEdge();
    expect(await edge.ok(['help', 'identities', 'list'])).toBe(await edge.ok(['identities', 'list', '--help']));
    expect(await edge.ok(['help'])).toContain('@name stands for the id of an entity');
  });

  it('change only what a filter selects', async () => {
    const help = await createEdge().ok(['api-sessions', 'delete', '--help']);
    expect(help).toContain(
      `edge api-sessions list --filter 'identity = "<id>"' --quiet | edge api-sessions delete -\n`,
    );
    const audit = await createEdge().ok(['audit-log', 'list', '--help']);
    expect(audit).not.toContain('name contains');
  });

  it('have times as they are written', async () => {
    const help = await createEdge().ok(['enrollments', 'create', '--help']);
    expect(help).toContain('--expires-at <time>');
    expect(help).toContain('--expires-at 2026-12-01T00:00:00Z');
  });
});
