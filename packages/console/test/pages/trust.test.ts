import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  run = await startConsole();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await run[Symbol.asyncDispose]();
});

const shell = (commands: string) => execFileSync('sh', ['-e', '-c', commands], { cwd: folder, stdio: 'pipe' });

/** Registers a new CA, whose certificate and key are `ca.pem` and `ca.key`. */
async function newCa(name: string): Promise<string> {
  shell(`openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj "/O=Example/CN=${name}" -days 2`);
  const certPem = readFileSync(join(folder, 'ca.pem'), 'utf8');
  const settings = { isAutoCaEnrollmentEnabled: true, isOttCaEnrollmentEnabled: true, isAuthEnabled: true };
  const { id } = await run.controller.admin.management.cas.create({ name, certPem, identityRoles: [], ...settings });
  return id;
}

describe('the verification of a CA', () => {
  it('succeeds with the commands that the page shows, and gives the JWT for its devices', async () => {
    const id = await newCa('Factory');
    const page = await run.openSignedIn(`entities/cas/${id}`);
    await page.getByText('not verified', { exact: true }).waitFor();
    await page.getByText('Verify the CA first.').waitFor();
    const commands = await page.getByRole('figure', { name: 'commands' }).locator('pre').textContent();
    shell(commands ?? '');
    await expectAccessible(page);
    await page.getByLabel('Certificate', { exact: true }).fill(readFileSync(join(folder, 'ca.pem'), 'utf8'));
    await page.getByRole('button', { name: 'Verify the CA' }).click();
    await page.getByRole('alert').getByText('The common name').waitFor();
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file …' }).click();
    await (await chosen).setFiles(join(folder, 'verify.pem'));
    await page.getByRole('button', { name: 'Verify the CA' }).click();
    await page.getByText('Factory is verified.').waitFor();
    await page.getByRole('button', { name: 'Download Factory.jwt' }).waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);
  });

  it('refuses a file that is too long for a certificate', async () => {
    const id = await newCa('Other factory');
    const page = await run.openSignedIn(`entities/cas/${id}`);
    const chosen = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose a file …' }).click();
    const buffer = Buffer.alloc(65_537, 'a');
    await (await chosen).setFiles({ name: 'long.pem', mimeType: 'application/x-pem-file', buffer });
    await page.getByText('The file is too long for a certificate.').waitFor();
  });

  it('is what stands in the way of a device with an enrollment of the CA', async () => {
    const id = await newCa('Third factory');
    const { identities } = run.controller.admin.management;
    const device = { name: 'press', type: 'Device', isAdmin: false, enrollment: { ottca: id } } as const;
    const { id: identityId } = await identities.create(device);
    const page = await run.openSignedIn(`entities/identities/${identityId}`);
    await page.getByText('The CA Third factory is not verified.').waitFor();
    await page.getByRole('link', { name: 'Open the CA Third factory' }).click();
    await page.getByText('not verified', { exact: true }).waitFor();
  });
});

describe('the test of a JWT', () => {
  const check = (page: Page, text: string) =>
    page.getByRole('list', { name: 'Checks' }).getByRole('listitem').filter({ hasText: text });

  it('shows every check with its outcome, and whom the JWT signs in', async () => {
    const issuer = await run.controller.jwtIssuer();
    const { id, name } = await run.controller.createIdentity({ name: 'Ada', authPolicyId: issuer.authPolicyId });
    const page = await run.openSignedIn(`entities/externalJwtSigners/${issuer.id}`);
    const jwt = page.getByLabel('JWT', { exact: true });
    const test = page.getByRole('button', { name: 'Test the JWT' });

    await jwt.fill(issuer.sign({ sub: id }));
    await test.click();
    await page.getByText('The JWT would be accepted.').waitFor();
    await page.getByRole('link', { name, exact: true }).waitFor();
    await check(page, 'Its signature is right').getByText('passed').waitFor();
    await expectAccessible(page);

    await jwt.fill(issuer.sign({ sub: id, aud: 'somebody else' }));
    expect(await page.getByText('The JWT would be accepted.').count()).toBe(0);
    await test.click();
    await page.getByRole('alert').getByText('its claim “aud” lacks the audience of the signer').waitFor();
    await check(page, 'Its claim “aud” has the audience').getByText('failed').waitFor();
    await check(page, 'Its claim “aud” has the audience').getByText('somebody else').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);

    await jwt.fill('no JWT');
    await test.click();
    await page.getByRole('alert').getByText('it is no JWT').waitFor();
  });

  it('keeps the JWT nowhere', async () => {
    const issuer = await run.controller.jwtIssuer();
    const token = issuer.sign({ sub: 'nobody' });
    const page = await run.openSignedIn(`entities/externalJwtSigners/${issuer.id}`);
    await page.getByLabel('JWT', { exact: true }).fill(token);
    await page.getByRole('button', { name: 'Test the JWT' }).click();
    await page.getByRole('alert').waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, sessionStorage, location.href])');
    expect(kept).not.toContain(token);
    await page.reload();
    expect(await page.content()).not.toContain(token);
    const entries = await run.controller.admin.management.auditLog.list({ limit: 500 });
    expect(JSON.stringify(entries)).not.toContain(token);
  });
});
