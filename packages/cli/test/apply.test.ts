import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { signedInEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

type Network = Record<string, Record<string, unknown>[]>;

/** `edge`, signed in, and functions that apply a network. */
async function applying() {
  const edge = await signedInEdge(controller);
  const write = (network: Network) => writeFileSync(join(edge.folder, 'network.yaml'), stringify(network));
  return {
    edge,
    apply: (network: Network, ...options: string[]) => {
      write(network);
      return edge.run(['apply', '-f', 'network.yaml', ...options]);
    },
  };
}

const office = (name: string) => ({
  servicePolicies: [
    {
      ...{ name, type: 'Dial', semantic: 'AnyOf' },
      ...{ serviceRoles: [`@${name}`], identityRoles: [`@${name}-1`, '#staff'] },
    },
  ],
  services: [{ name, encryptionRequired: true, configs: [name], roleAttributes: ['web'] }],
  configs: [{ name, configTypeId: 'host.v1', data: { address: 'localhost', port: 80, protocol: 'tcp' } }],
  identities: [
    { name: `${name}-1`, type: 'Device', isAdmin: false, roleAttributes: ['b', 'a'], enrollment: { ott: true } },
  ],
});

describe('edge apply', () => {
  it('shows the difference, creates what refers to each other in the right order, and changes nothing the second time', async () => {
    const { edge, apply } = await applying();
    const dry = await apply(office('web'), '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain('+ services web\n    encryptionRequired: true\n');
    expect(dry.stdout).toContain('4 to create, 0 to change, 0 to delete, 0 as they are');
    expect(await edge.ok(['services', 'list', '--filter', 'name = "web"', '-q'])).toBe('');
    expect((await apply(office('web'))).code).toBe(0);
    expect(await edge.ok(['identities', 'services', '@web-1', '-q', '--columns', 'name'])).toBe('web');
    const [enrollment] = JSON.parse(await edge.ok(['identities', 'enrollments', '@web-1', '-o', 'json']));
    const again = await apply(office('web'));
    expect(again.stdout).toBe('0 to create, 0 to change, 0 to delete, 4 as they are\n');
    const [same] = JSON.parse(await edge.ok(['identities', 'enrollments', '@web-1', '-o', 'json']));
    expect(same.id).toBe(enrollment.id);
  });

  it('changes only what differs, and leaves alone what the file does not say', async () => {
    const { edge, apply } = await applying();
    await apply(office('mail'));
    await edge.ok(['identities', 'patch', '@mail-1', '--external-id', 'ext', '--tags', 'room=4']);
    const changed = office('mail');
    changed.identities[0]!.roleAttributes = ['c'];
    const done = await apply(changed);
    expect(done.stdout).toBe(
      '~ identities mail-1\n    roleAttributes: a, b → c\n0 to create, 1 to change, 0 to delete, 3 as they are\n',
    );
    const identity = JSON.parse(await edge.ok(['identities', 'get', '@mail-1', '-o', 'json']));
    expect(identity).toMatchObject({ roleAttributes: ['c'], externalId: 'ext', tags: { room: '4' } });
  });

  it('finds posture checks unchanged, whichever way an address, a hash or a list is written', async () => {
    const { apply } = await applying();
    const path = '/usr/bin/agent';
    const postureChecks = [
      { name: 'own devices', typeId: 'MAC', macAddresses: ['CC:BB:AA:00:00:02', 'aa-bb-cc-00-00-01'] },
      {
        ...{ name: 'agent runs', typeId: 'PROCESS' },
        process: {
          osType: 'Linux',
          path,
          hashes: ['F'.repeat(64), 'A'.repeat(64)],
          signerFingerprint: 'AB'.repeat(20),
        },
      },
      {
        ...{ name: 'agents run', typeId: 'PROCESS_MULTI', semantic: 'AnyOf' },
        processes: [
          { osType: 'Linux', path, hashes: ['a'.repeat(64), 'B'.repeat(64)], signerFingerprints: ['cD'.repeat(20)] },
        ],
      },
      { name: 'current system', typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=6.0.0', '>=5.0.0'] }] },
    ];
    expect(await apply({ postureChecks })).toMatchObject({ code: 0, stderr: '' });
    expect((await apply({ postureChecks })).stdout).toBe('0 to create, 0 to change, 0 to delete, 4 as they are\n');
    const inOtherCase = postureChecks.map((check) =>
      JSON.parse(JSON.stringify(check).replaceAll('B'.repeat(64), 'b'.repeat(64))),
    );
    expect((await apply({ postureChecks: inOtherCase })).stdout).toContain('0 to change, 0 to delete, 4 as they are');
    const others = [{ ...postureChecks[0], macAddresses: ['CC:BB:AA:00:00:03', 'aa-bb-cc-00-00-01'] }];
    expect((await apply({ postureChecks: others }, '--dry-run')).stdout).toContain('0 to create, 1 to change');
  });

  it('changes an external id of which only the case differs', async () => {
    const { apply } = await applying();
    const identity = (externalId: string) => ({
      identities: [{ name: 'eva', type: 'Device', isAdmin: false, externalId }],
    });
    await apply(identity('3F2504E0-4F89-11D3'));
    expect((await apply(identity('3f2504e0-4f89-11d3'))).stdout).toContain('1 to change');
  });

  it('deletes what has the tag and is no longer in the file', async () => {
    const { edge, apply } = await applying();
    await edge.ok(['services', 'create', '--name', 'other', '--encryption-required']);
    await apply(office('crm'), '--tag', 'network=crm');
    const { services, configs } = office('crm');
    const done = await apply({ services, configs }, '--tag', 'network=crm', '--prune');
    expect(done.stdout).toBe(
      '- servicePolicies crm\n- identities crm-1\n0 to create, 0 to change, 2 to delete, 2 as they are\n',
    );
    expect((await apply({}, '--tag', 'network=crm', '--prune')).code).toBe(0);
    expect(await edge.ok(['services', 'list', '--filter', 'name in ["crm", "other"]', '-q', '--columns', 'name'])).toBe(
      'other',
    );
    expect((await apply({}, '--prune')).stderr).toContain('--prune needs --tag');
  });

  it('that ends half-way goes on when it is run again', async () => {
    const { apply } = await applying();
    const names = Array.from({ length: 30 }, (_one, at) => `half-${at}`);
    const network = (externalId: (at: number) => string) => ({
      configs: office('half').configs,
      identities: names.map((name, at) => ({ name, type: 'Device', isAdmin: false, externalId: externalId(at) })),
    });
    // Two identities cannot have one external id.
    const failed = await apply(network((at) => `half ${at % 20}`));
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/identities "half-\d+": .*externalId/);
    const [, done] = /(\d+) of 31 changes are done; run it again to go on/.exec(failed.stderr) ?? [];
    expect(Number(done)).toBeGreaterThan(0);
    const resumed = await apply(network((at) => `half ${at}`));
    expect(resumed.code).toBe(0);
    expect(resumed.stdout).toContain(`${31 - Number(done)} to create`);
    expect((await apply(network((at) => `half ${at}`))).stdout).toContain('31 as they are');
  });

  it('says all mistakes of the file at once, before anything is sent', async () => {
    const { edge, apply } = await applying();
    const done = await apply({
      printers: [],
      services: [{ name: 'a', encryptionRequired: true, colour: 'red' }, { encryptionRequired: true }],
      servicePolicies: [{ name: 'p', type: 'Call', semantic: 'AnyOf' }],
      identities: [
        { name: 'i', type: 'Device' },
        { name: 'i', type: 'Device', isAdmin: true },
      ],
    });
    expect(done).toMatchObject({ code: 2, stdout: '' });
    for (const mistake of [
      'printers: must be one of',
      'services[0] "a": there is no member colour',
      'services[1]: must have a name',
      'servicePolicies[0] "p": type must be one of Dial, Bind',
      'identities[0] "i": isAdmin is missing',
      'identities[1]: the name "i" occurs twice',
    ]) {
      expect(done.stderr).toContain(mistake);
    }
    writeFileSync(join(edge.folder, 'bad.yaml'), 'services: [\n');
    expect((await edge.run(['apply', '-f', 'bad.yaml'])).stderr).toContain('bad.yaml is no YAML');
    const unknown = await apply({ services: [{ name: 'a', encryptionRequired: true, configs: ['nowhere'] }] });
    expect(unknown).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('services "a": configs has no "nowhere"'),
    });
  });

  it('refuses to change what never changes', async () => {
    const { apply } = await applying();
    await apply({ services: [{ name: 'fixed', encryptionRequired: true }] });
    const done = await apply({ services: [{ name: 'fixed', encryptionRequired: false }] });
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('encryptionRequired never changes') });
  });
});

describe('edge export', () => {
  it('writes a file that apply finds unchanged, with names in place of ids', async () => {
    const { edge, apply } = await applying();
    await apply(office('wiki'), '--tag', 'network=wiki');
    await edge.ok([
      'posture-checks',
      'create',
      '--body',
      JSON.stringify({ name: 'os', typeId: 'MFA', timeoutSeconds: 60 }),
    ]);
    const all = parse(await edge.ok(['export']));
    expect(await apply(all)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('0 to create, 0 to change, 0 to delete'),
    });
    const some = JSON.parse(
      await edge.ok(['export', 'service-policies', '--filter', 'tags.network = "wiki"', '-o', 'json']),
    );
    expect(some.servicePolicies).toHaveLength(1);
    expect(some.servicePolicies[0].identityRoles).toEqual(expect.arrayContaining(['@wiki-1', '#staff']));
    expect((await edge.run(['export', 'printers'])).code).toBe(2);
  });
});
