import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, scriptedServer } from '../../sdk/test/support/scripted-server.ts';
import { printable } from '../src/lib/printable.ts';
import type { RunOptions } from './support/edge.ts';
import { createEdge } from './support/edge.ts';
import { evil, evilRow, session, startHostileController } from './support/hostile-controller.ts';
import { requireSafe } from './support/require-safe.ts';
import { runInProcess } from './support/run-in-process.ts';

let controller: Awaited<ReturnType<typeof startHostileController>>;
let provider: Awaited<ReturnType<typeof scriptedServer>>;
/** Arguments are UTF-8. */
const argument = evil.toWellFormed();
const pathOf = (name: string) => join(controller.folder, name);

beforeAll(async () => {
  controller = await startHostileController();
  provider = await scriptedServer(({ path }, response) => {
    if (path.includes('/.well-known/')) {
      const endpoints = {
        device_authorization_endpoint: `${provider.url}/device`,
        token_endpoint: `${provider.url}/token`,
      };
      return json(response, 200, {
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/auth`,
        ...endpoints,
      });
    }
    if (path !== '/device') return json(response, 400, { error: evil, error_description: evil });
    const address = { verification_uri: evil, verification_uri_complete: evil };
    return json(response, 200, { device_code: 'd', user_code: evil, ...address, expires_in: 5, interval: 0.01 });
  });
  const row = evilRow(['roleAttributes', 'expiresAt']);
  const policy = {
    ...{ ...row, id: 'p' },
    ...{ type: 'Dial', semantic: evil, postureCheckRoles: [evil] },
    ...{ identityRolesDisplay: [{ name: evil }, { name: evil }], serviceRolesDisplay: [{ name: evil }] },
  };
  const check = { ...row, typeId: 'DOMAIN', domains: [evil] };
  const named = { id: evil, name: evil };
  Object.assign(controller.paths, {
    '/policy-advice/x': { data: adviceOf({ isDialAllowed: false }) },
    '/policy-advice/y': { data: adviceOf({ isDialAllowed: true }) },
    '/identities/x': { data: { ...row, roleAttributes: [evil] } },
    '/identities/y': { data: { ...row, roleAttributes: [evil] } },
    '/services/x': { data: { ...row, roleAttributes: [evil] } },
    '/services/y': { data: { ...row, roleAttributes: [evil] } },
    '/x/service-policies': { data: [policy] },
    '/y/service-policies': { data: [policy] },
    '/posture-checks': { data: [check] },
    '/posture-data': { data: { domain: { domain: evil }, processes: [], apiSessionPostureData: {} } },
    '/test': { data: { isAccepted: false, checks: [{ check: evil, passed: false, expected: evil, received: evil }] } },
    '/current-identity': { data: { ...row, isAdmin: true } },
    '/client/v1/external-jwt-signers': {
      data: [{ ...named, externalAuthUrl: provider.url, clientId: evil, scopes: [] }],
    },
    '/services': { data: [{ ...row, id: 'x', name: argument, encryptionRequired: true }] },
    '/config-types': { data: [] },
    '/service-policies': { data: [policy] },
  });
  controller.answer({ data: [row] });
  writeFileSync(pathOf('token.jwt'), 'e30.e30.x');
  writeFileSync(pathOf('ca.pem'), controller.ca);
  writeFileSync(
    pathOf('network.json'),
    JSON.stringify({
      services: [
        { name: 'new', encryptionRequired: true },
        { name: argument, encryptionRequired: true, tags: { [evil]: evil } },
      ],
    }),
  );
  writeFileSync(
    pathOf('wrong.json'),
    JSON.stringify({ [evil]: [], services: [{ name: evil, [evil]: 1 }, { name: evil }] }),
  );
  writeFileSync(pathOf('broken.yaml'), `services: [${evil}`);
});
afterAll(async () => {
  await provider[Symbol.asyncDispose]();
  await controller[Symbol.asyncDispose]();
});

describe('the other commands show nothing of a hostile controller that controls a terminal', () => {
  it.each([
    ['whoami'],
    ['whoami -q'],
    ['whoami -o csv'],
    ['whoami -o json'],
    ['whoami -o yaml'],
    ['profiles list'],
    ['profiles list -o csv'],
    ['profiles use nobody'],
    ['policy-advice x x'],
    ['policy-advice y y'],
    ['policy-advice y y -o json'],
    ['policy-advice y y -o yaml'],
    ['test-jwt x token.jwt'],
    ['test-jwt x token.jwt -o csv'],
    ['test-jwt x token.jwt -o json'],
    ['export'],
    ['export -o json'],
    ['apply -f network.json --dry-run'],
    ['apply -f network.json'],
    ['apply -f wrong.json'],
    ['apply -f broken.yaml'],
    ['config-types get @other'],
    ['enrollments delete @other'],
    ['services list --columns nothing'],
    ['complete -- services get @'],
    ['login URL --ca ca.pem --jwt-file token.jwt'],
    ['login URL --ca ca.pem --device'],
    ['login URL --ca ca.pem --device --signer other'],
    ['login URL --ca ca.pem --browser --no-open --redirect-port 99999'],
    ['services list --sort EVIL'],
    ['services get EVIL'],
    ['EVIL'],
    ['services list --EVIL'],
    ['whoami --profile EVIL'],
    ['services create --name EVIL --body {'],
    ['logout'],
  ])('edge %s', async (line) => {
    await controller.signIn();
    const args = line.split(' ').map((word) => fileOf(word.replace('URL', controller.url).replace('EVIL', argument)));
    const done = await runInProcess(args, { folder: controller.folder });
    // Names that a shell could take for something else are not completed.
    if (args[0] !== 'complete') expect(done.stdout + done.stderr).not.toBe('');
    requireSafe(done, args);
    await controller.signIn();
    requireSafe(await runInProcess(args, { folder: controller.folder, isTerminal: true }), args, { isTerminal: true });
  });

  it.each([
    ['services get EVIL', 404, /^A name begins with @: (.*)$/m, ['services', 'get', `@${printable(argument)}`]],
    ['configs list', 401, /^Sign in: (.*)$/m, ['login', 'URL', '--username', printable(evil)]],
    ['policy-advice x x', 404, /selects both: (.*)$/m, ['identities', 'service-policies', `@${printable(evil)}`]],
  ])('a shell takes the command that edge %s suggests as it is meant', async (line, status, hint, words) => {
    await controller.signIn();
    controller.answer({ status, code: status === 404 ? 'NOT_FOUND' : 'UNAUTHORIZED' });
    const args = line.split(' ').map((word) => word.replace('EVIL', argument));
    const { stderr } = await runInProcess(args, { folder: controller.folder });
    const [, command = ''] = hint.exec(stderr) ?? [];
    expect(stderr).toMatch(hint);
    const taken = execFileSync('bash', ['-c', `edge() { printf '%s\\n' "$@"; }\n${command}`]).toString();
    expect(taken.trimEnd().split('\n')).toEqual(words.map((word) => word.replace('URL', controller.url)));
  });

  it('edge configs delete, of several that fail', async () => {
    await controller.signIn();
    controller.answer({ status: 404, code: evil });
    const args = ['configs', 'delete', 'a', argument];
    const done = await runInProcess(args, { folder: controller.folder });
    expect(done).toMatchObject({ code: 1, stderr: expect.stringContaining('2 of 2 failed') });
    requireSafe(done, args);
  });

  it.each(['sessions', 'sessions -o json', 'audit', 'audit -o json'])('edge watch %s', async (what) => {
    let sequence = 0;
    const args = ['watch', ...what.split(' '), '--interval', '0.2'];
    controller.answer({
      data: [{ ...session(), ...evilRow(['createdAt', 'event', 'outcome', 'entityType', 'entityId']), sequence }],
    });
    const edge = createEdge();
    const options: RunOptions = {
      env: { EDGE_CONFIG_DIR: controller.folder },
      onOutput: (stdout, interrupt) => {
        if (stdout.includes('red')) interrupt();
      },
    };
    const done = await edge.run(args, options);
    sequence += 1;
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('red') });
    requireSafe(done, args);
  });
});

/** Files stand in the folder of the profile. */
const fileOf = (word: string) => (/\.(jwt|json|yaml|pem)$/.test(word) ? pathOf(word) : word);

function adviceOf(members: object) {
  const named = { id: evil, name: evil };
  return {
    ...{ identityId: 'x', serviceId: 'x', identity: named, service: named, isBindAllowed: true },
    ...{ identityRouterCount: 0, serviceRouterCount: 0, commonRouters: [{ ...named, isOnline: false }] },
    ...members,
  };
}
