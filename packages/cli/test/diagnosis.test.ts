import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedInEdge } from './support/edge.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const signedIn = () => signedInEdge(controller);

describe('edge policy-advice', () => {
  it('names the policies of the service with what they select, when none selects the identity', async () => {
    const edge = await signedIn();
    const { identities, services, servicePolicies } = controller.admin.management;
    await identities.create({ name: 'Eve', type: 'User', isAdmin: false, roleAttributes: ['guests'] });
    const { id } = await services.create({ name: 'payroll', encryptionRequired: true });
    const roles = { identityRoles: ['#staff', '#office'], serviceRoles: [`@${id}`] };
    await servicePolicies.create({ name: 'staff-payroll', type: 'Dial', semantic: 'AllOf', ...roles });
    const { code, stderr } = await edge.run(['policy-advice', '@Eve', '@payroll']);
    expect(code).toBe(1);
    expect(stderr).toContain('the attributes of the identity: #guests\n');
    expect(stderr).toMatch(/@staff-payroll selects (#office, #staff|#staff, #office) \(AllOf\)/);
  });

  it('names the posture checks of the policies, and which of them fail', async () => {
    const edge = await signedIn();
    const { services, servicePolicies, postureChecks } = controller.admin.management;
    const bob = await controller.createIdentity({ name: 'Bob' });
    const service = await services.create({ name: 'wiki', encryptionRequired: true });
    const check = await postureChecks.create({ name: 'office', typeId: 'DOMAIN', domains: ['corp.example'] });
    await servicePolicies.create({
      ...{ name: 'office-wiki', type: 'Dial', semantic: 'AnyOf', postureCheckRoles: [`@${check.id}`] },
      ...{ identityRoles: [`@${bob.id}`], serviceRoles: [`@${service.id}`] },
    });
    const before = await edge.run(['policy-advice', '@Bob', '@wiki']);
    const why = 'reported: nothing; wanted: corp.example';
    expect(before.code).toBe(1);
    expect(before.stdout).toMatch(/^dial: not possible, although a policy allows it\n/);
    expect(before.stdout).toContain(`policy @office-wiki (Dial)\n  posture check @office (DOMAIN) fails; ${why}\n`);
    expect(before.stderr).toContain(`the policy @office-wiki requires the posture check @office (DOMAIN): ${why}`);

    await using client = await bob.signIn();
    await client.client.postureResponses.create({ id: check.id, typeId: 'DOMAIN', domain: 'CORP.example' });
    const after = await edge.run(['policy-advice', '@Bob', '@wiki']);
    expect(after.stdout).toContain('posture check @office (DOMAIN) passes; reported: CORP.example');
    expect(after.stderr).not.toContain('posture check');
  });

  it('says what is in the way, and nothing when the identity can dial', async () => {
    const edge = await signedIn();
    const { identities, services, servicePolicies } = controller.admin.management;
    await identities.create({ name: 'sensor', type: 'Device', isAdmin: false });
    await services.create({ name: 'web', encryptionRequired: true });
    const before = await edge.run(['policy-advice', '@sensor', '@web']);
    expect(before).toMatchObject({ code: 1, stdout: 'dial: not allowed\nbind: not allowed\nedge routers: none\n' });
    expect(before.stderr).toContain('edge identities service-policies @sensor');
    const all = { identityRoles: ['#all'], serviceRoles: ['#all'] };
    await servicePolicies.create({ name: 'all', type: 'Dial', semantic: 'AnyOf', ...all });
    await controller.createService();
    await controller.startRouter({ name: 'router-1' });
    const after = await edge.run(['policy-advice', '@sensor', '@web']);
    expect(after).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('edge routers: router-1 (online)'),
      stderr: '',
    });
    expect(after.stdout).toMatch(/^dial: allowed\n/);
  });
});

describe('edge test-jwt', () => {
  it('shows the checks of a JWT, and never the JWT', async () => {
    const edge = await signedIn();
    const issuer = await controller.jwtIssuer();
    const ada = await controller.createIdentity({ authPolicyId: issuer.authPolicyId });
    const [{ name }] = JSON.parse(await edge.ok(['external-jwt-signers', 'list', '-o', 'json']));
    writeFileSync(join(edge.folder, 'token.jwt'), `${issuer.sign({ sub: ada.id })}\n`);
    const good = await edge.run(['test-jwt', `@${name}`, 'token.jwt']);
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^audience +true/m);
    const token = issuer.sign({ sub: 'nobody' });
    const bad = await edge.run(['test-jwt', `@${name}`, '-'], { input: token });
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('the JWT would be refused: identity') });
    expect(bad.stdout + bad.stderr).not.toContain(token);
  });
});

describe('edge watch sessions', () => {
  it('prints sessions that begin and end', async () => {
    const edge = await signedIn();
    const ada = await controller.createIdentity({ name: 'Ada' });
    const client = await ada.signIn();
    const seen = Promise.withResolvers<void>();
    const watched = edge.run(['watch', 'sessions', '--interval', '0.2', '-o', 'json'], {
      onOutput(stdout, interrupt) {
        if (stdout.includes('Ada')) seen.resolve();
        if (stdout.includes('"ended"')) interrupt();
      },
    });
    await seen.promise;
    await client.signOut();
    const { code, stdout } = await watched;
    expect(code).toBe(0);
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const ofAda = events.filter(({ identity }) => identity === 'Ada').map(({ event }) => event);
    expect(ofAda).toEqual(['began', 'ended']);
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted());
  });
});

describe('edge watch audit', () => {
  it('prints the entries that come from now on, which the filter selects', async () => {
    const edge = await signedIn();
    const watching = edge.run(
      ['watch', 'audit', '--interval', '0.2', '--filter', 'event = "entity.created"', '-o', 'json'],
      {
        onOutput(stdout, interrupt) {
          if (stdout.includes('a watched one')) interrupt();
        },
      },
    );
    const creating = setInterval(() => {
      created += 1;
      void controller.createIdentity({ name: `a watched one ${created}` });
    }, 500);
    let created = 0;
    const { code, stdout } = await watching;
    clearInterval(creating);
    expect(code).toBe(0);
    const entries = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(new Set(entries.map(({ event }) => event))).toEqual(new Set(['entity.created']));
    expect(entries.map(({ sequence }) => sequence)).toEqual(
      entries.map(({ sequence }) => sequence).toSorted((a, b) => a - b),
    );
  });
});
