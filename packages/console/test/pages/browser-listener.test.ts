import { enroll } from '@edge-controller/sdk/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../../server/test/support/free-port.ts';
import type { ConsoleRun } from '../support/open-console.ts';
import { signIn, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
let origin: string;
beforeAll(async () => {
  const port = await freePort();
  origin = `https://localhost:${port}`;
  run = await startConsole({ browserBind: `127.0.0.1:${port}` });
});
afterAll(() => run[Symbol.asyncDispose]());

/** A page of a browser that holds a client certificate, and whether the controller knows the browser by it. */
async function openWithCertificate(address: string) {
  const { identities } = run.controller.admin.management;
  const name = `browser of ${address}`;
  const { id } = await identities.create({ name, type: 'Device', isAdmin: false, enrollment: { ott: true } });
  const { enrollment } = await identities.get(id);
  const { cert = '', key = '' } = await enroll(enrollment.ott?.jwt ?? '');
  const held = { origin: address, cert: Buffer.from(cert), key: Buffer.from(key) };
  // The browser of the kit presents the certificate by itself when it is asked. A person would have to choose it.
  const context = await run.browser.newContext({ clientCertificates: [held], ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${address}/console/`);
  const status = await page.evaluate(async () => {
    const request = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    return (await fetch('/edge/client/v1/authenticate?method=cert', request)).status;
  });
  return { page, status, [Symbol.asyncDispose]: () => context.close() };
}

it('asks a browser for no certificate, and shows the console', async () => {
  await using direct = await openWithCertificate(run.controller.url);
  expect(direct.status).toBe(200);
  await using opened = await openWithCertificate(origin);
  expect(opened.status).toBe(401);
  await signIn(opened.page, run.controller.adminCredentials);
  await opened.page.getByRole('heading', { name: 'Dashboard' }).waitFor();
});

it('makes links that lead back to it', async () => {
  const { identities } = run.controller.admin.management;
  const enrollment = { updb: 'grace' };
  const { id } = await identities.create({ name: 'Grace', type: 'Device', isAdmin: false, enrollment });
  const context = await run.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  await page.goto(`${origin}/console/entities/identities/${id}`);
  await signIn(page, run.controller.adminCredentials);
  await page.getByRole('button', { name: 'Copy link' }).click();
  const copied = () => page.evaluate('navigator.clipboard.readText()');
  await expect.poll(async () => new URL(String(await copied())).origin).toBe(origin);
  await page.goto(String(await copied()));
  await page.getByLabel('Password', { exact: true }).fill('a good password');
  await page.getByLabel('Password again').fill('a good password');
  await page.getByRole('button', { name: 'Set the password' }).click();
  await page.getByText('Your user name is grace.').waitFor();
  await context.close();
});
