import { readFileSync } from 'node:fs';
import { enrollRouter } from '@edge-controller/router-double';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, signIn, startConsole } from '../support/open-console.ts';

const hour = 3_600_000;

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

/** An identity that nobody has enrolled. */
async function newIdentity(name: string, enrollment: object = {}): Promise<string> {
  const { identities } = run.controller.admin.management;
  const { id } = await identities.create({ name, type: 'Device', isAdmin: false, enrollment });
  return id;
}

const path = (page: Page) => page.getByRole('list', { name: 'Path of the enrollment' });
const step = (page: Page, text: string) => path(page).getByRole('listitem').filter({ hasText: text });
const obstacles = (page: Page) => page.getByRole('list', { name: 'What is in the way' });

async function download(page: Page, label: string): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download');
  await page.getByRole('button', { name: label }).click();
  const file = await started;
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8').trim() };
}

describe('the link with which a person sets a password', () => {
  const clipboard = { permissions: ['clipboard-read', 'clipboard-write'] };

  async function copiedLink(id: string): Promise<string> {
    const admin = await run.openSignedIn(`entities/identities/${id}`, clipboard);
    await admin.getByRole('button', { name: 'Copy link' }).click();
    return String(await admin.evaluate('navigator.clipboard.readText()'));
  }

  async function setPassword(page: Page, password: string, repeated = password): Promise<void> {
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByLabel('Password again').fill(repeated);
    await page.getByRole('button', { name: 'Set the password' }).click();
  }

  it('works once, says what is wrong with a password, and leads to the sign-in', async () => {
    const link = await copiedLink(await newIdentity('Emmy Noether', { updb: 'emmy' }));
    // Nobody but the browser of the person gets the JWT: servers see no fragment.
    const { pathname, search, hash } = new URL(link);
    expect([pathname, search]).toEqual(['/console/set-password', '']);
    const opened = `set-password${hash}`;
    const page = await run.open(opened);
    expect(await page.getByLabel('User name').inputValue()).toBe('emmy');
    await expectAccessible(page);
    await setPassword(page, 'a good password', 'another password');
    await page.getByText('This is not the same password.').waitFor();
    await setPassword(page, 'abc');
    await page.getByText('should be at least 5 chars long', { exact: true }).waitFor();
    await expectAccessible(page);
    await setPassword(page, 'a good password');
    await page.getByText('Your user name is emmy.').waitFor();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signIn(page, { username: 'emmy', password: 'a good password' });
    await page.getByRole('banner').waitFor();

    const second = await run.open(opened);
    await setPassword(second, 'somebody else');
    await second.getByText('The link was used already').waitFor();
    await expect(
      run.controller.client().signIn.password({ username: 'emmy', password: 'somebody else' }),
    ).rejects.toThrow();
  });

  it('says that it has expired, is not whole, or is of a device', async () => {
    const { enrollments } = run.controller.admin.management;
    const enrollment = { method: 'updb', username: 'late-person' } as const;
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const { id } = await enrollments.create({ ...enrollment, identityId: await newIdentity('late person'), expiresAt });
    const { jwt } = await enrollments.get(id);
    const page = await run.open(`set-password#jwt=${jwt}`);
    expect(await page.getByLabel('User name').count()).toBe(0);
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(expiresAt));
    await setPassword(page, 'a good password');
    await page.getByText('The link has expired.').waitFor();
    // The same tab, as when a person opens the link once more.
    await page.goto(`${run.address}set-password#jwt=${jwt.slice(0, 40)}`);
    await setPassword(page, 'a good password');
    await page.getByText('This is not the whole link.').waitFor();
    await page.goto(`${run.address}set-password`);
    await setPassword(page, 'a good password');
    await page.getByText('This is not the whole link.').waitFor();
    const [device] = (
      await enrollments.list({ filter: `identity = "${await newIdentity('a device', { ott: true })}"` })
    ).data;
    await page.goto(`${run.address}set-password#jwt=${device?.jwt}`);
    await setPassword(page, 'a good password');
    await page.getByText('takes no password').waitFor();
  });
});

describe('the enrollment of an identity', () => {
  it('hands out the JWT in every form, and follows the device to its first sign-in', async () => {
    const id = await newIdentity('sensor-1', { ott: true });
    const page = await run.openSignedIn(`entities/identities/${id}`);
    await step(page, 'JWT handed out').getByText('Next').waitFor();
    await page.getByRole('img', { name: 'QR code of the JWT' }).waitFor();
    const { name, text } = await download(page, 'Download sensor-1.jwt');
    expect(name).toBe('sensor-1.jwt');
    await page.getByText('edge enroll sensor-1.jwt', { exact: true }).waitFor();
    await page.getByText('Show the JWT as text').click();
    await page.getByText(text, { exact: true }).waitFor();
    await page.getByText('Show the link').click();
    await page.getByText('/edge/client/v1/enroll?method=ott&token=').waitFor();
    await expectAccessible(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page);

    const enrolled = await run.controller.client().enroll(text);
    expect(enrolled.id).toBe(id);
    await step(page, 'Redeemed').getByText('Done').waitFor();
    await step(page, 'Authenticator').getByText('Certificate').waitFor();
    await step(page, 'Signed in').getByText('Next').waitFor();
    expect(await page.getByRole('img', { name: 'QR code of the JWT' }).count()).toBe(0);
  });

  it('says that a JWT has expired, and makes another one', async () => {
    const id = await newIdentity('late');
    const { enrollments } = run.controller.admin.management;
    const expiresAt = new Date(Date.now() + 1_000).toISOString();
    const { id: enrollmentId } = await enrollments.create({ identityId: id, method: 'ott', expiresAt });
    const page = await run.openSignedIn(`entities/identities/${id}`);
    await step(page, 'No valid JWT').getByText('The JWT has expired.').waitFor();
    await obstacles(page).getByText('Its JWT is refused.').waitFor();
    await expectAccessible(page);
    await obstacles(page).getByRole('button', { name: 'New JWT, valid for 1 day' }).click();
    await page.getByRole('img', { name: 'QR code of the JWT' }).waitFor();
    expect(await obstacles(page).count()).toBe(0);
    const { expiresAt: renewed } = await enrollments.get(enrollmentId);
    expect(Date.parse(renewed)).toBeGreaterThan(Date.now() + 23 * hour);
  });

  it('says that there is no enrollment, and makes one for a password', async () => {
    const id = await newIdentity('Ada Lovelace');
    const page = await run.openSignedIn(`entities/identities/${id}`);
    await obstacles(page).getByText('It has no enrollment and no authenticator').waitFor();
    await step(page, 'No valid JWT').getByText('There is no enrollment.').waitFor();
    await obstacles(page).getByRole('button', { name: 'New enrollment' }).click();
    const dialog = page.getByRole('dialog', { name: 'New enrollment of Ada Lovelace' });
    await dialog.getByRole('button', { name: 'What the identity gets' }).click();
    await page.getByRole('option', { name: 'User name and password' }).click();
    await dialog.getByRole('textbox', { name: 'User name' }).fill('ada-lovelace');
    await expectAccessible(page);
    await dialog.getByRole('button', { name: 'Create the enrollment' }).click();
    const { text } = await download(page, 'Download Ada-Lovelace.jwt');
    await page.getByRole('img', { name: 'QR code of the link' }).waitFor();
    await page.getByText('Whoever has this link can set the password of Ada Lovelace').waitFor();
    await step(page, 'JWT handed out').getByText('Give the link to the person').waitFor();
    await step(page, 'Redeemed').getByText('The person opens the link, once.').waitFor();
    await run.controller.client().enroll(text, { password: 'a new password' });
    await step(page, 'Authenticator').getByText('Password of ada-lovelace').waitFor();
  });

  it('withdraws an enrollment that nobody has redeemed, and says that a disabled device can still redeem one', async () => {
    const id = await newIdentity('gate', { ott: true });
    await run.controller.admin.management.identities.disable(id, { durationMinutes: 0 });
    const page = await run.openSignedIn(`entities/identities/${id}`);
    await obstacles(page).getByText('It cannot sign in. It can still enroll.').waitFor();
    await page.getByRole('button', { name: 'Withdraw the enrollment for a certificate' }).click();
    await page.getByRole('button', { name: 'Keep' }).click();
    await page.getByRole('button', { name: 'Withdraw the enrollment for a certificate' }).click();
    await page.getByRole('button', { name: 'Withdraw it' }).click();
    await step(page, 'No valid JWT').getByText('There is no enrollment.').waitFor();
    await obstacles(page).getByText('It cannot sign in.', { exact: false }).waitFor();
    expect(await obstacles(page).getByText('It can still enroll.').count()).toBe(0);
  });

  it('warns of a JWT that is still valid although there is a password, and withdraws it', async () => {
    const id = await newIdentity('Carol', { updb: 'carol' });
    const { authenticators, enrollments } = run.controller.admin.management;
    await authenticators.create({ method: 'updb', identityId: id, username: 'carol', password: 'a good password' });
    const page = await run.openSignedIn(`entities/identities/${id}`);
    await step(page, 'JWT handed out').getByText('Somebody may still enroll with it').waitFor();
    const open = page.getByRole('list', { name: 'What is still open' });
    await open.getByText('whoever has it can enroll as Carol').waitFor();
    await expectAccessible(page);
    await open.getByRole('button', { name: 'Withdraw this JWT' }).click();
    await step(page, 'No valid JWT').getByText('None is needed any more.').waitFor();
    expect(await open.count()).toBe(0);
    expect((await enrollments.list({ filter: `identity = "${id}"` })).data).toEqual([]);

    const expiresAt = new Date(Date.now() + hour).toISOString();
    const again = await enrollments.create({ identityId: id, method: 'ott', expiresAt });
    const other = await run.openSignedIn(`entities/enrollments/${again.id}`);
    await other.getByRole('button', { name: 'Withdraw this JWT' }).click();
    await other.getByText('The JWT was redeemed or withdrawn.').waitFor();
    expect(await other.getByRole('img', { name: 'QR code of the JWT' }).count()).toBe(0);
  });

  it('says why a sign-in fails: a locked identity, a wrong password', async () => {
    const ada = await run.controller.createIdentity({ name: 'locked' });
    const wrong = { username: ada.username, password: 'wrong password' };
    await expect(run.controller.client().signIn.password(wrong)).rejects.toThrow();
    await run.controller.admin.management.identities.disable(ada.id, { durationMinutes: 0 });
    const page = await run.openSignedIn(`entities/identities/${ada.id}`);
    await obstacles(page).getByText('The identity is disabled, until an administrator enables it.').waitFor();
    await obstacles(page).getByText('The last sign-in from 127.0.0.1 was refused').waitFor();
    await obstacles(page).getByRole('button', { name: 'Enable the identity' }).click();
    await obstacles(page).getByText('The identity is disabled').waitFor({ state: 'detached' });
    await ada.signIn();
    await step(page, 'Signed in').getByText('It has a session now.').waitFor();
    await obstacles(page).waitFor({ state: 'detached' });
  });

  it('replaces a credential after a question', async () => {
    const ada = await run.controller.createIdentity({ name: 'forgetful' });
    const page = await run.openSignedIn(`entities/identities/${ada.id}`);
    await page.getByRole('button', { name: `Replace the password of ${ada.username} …` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
    const { text } = await download(page, 'Download forgetful.jwt');
    await run.controller.client().enroll(text, { password: 'another password' });
    await step(page, 'Redeemed').getByText('Done').waitFor();
  });
});

describe('the enrollment of a router', () => {
  it.each(['edgeRouters', 'transitRouters'] as const)(
    'hands out the JWT of %s until it has enrolled',
    async (routers) => {
      const { enrollments, [routers]: resource } = run.controller.admin.management;
      const { id } = await resource.create({ name: `first of ${routers}` });
      const { data } = await enrollments.list({ filter: `edgeRouter = "${id}" or transitRouter = "${id}"` });
      const expiry = Date.now() + 1_000;
      await enrollments.refresh(data[0]!.id, { expiresAt: new Date(expiry).toISOString() });
      await expect.poll(() => Date.now()).toBeGreaterThan(expiry);
      const page = await run.openSignedIn(`entities/${routers}/${id}`);
      await page.getByText('The JWT expired on').waitFor();
      await page.getByRole('button', { name: 'New JWT, valid for 1 day' }).click();
      await page.getByRole('img', { name: 'QR code of the JWT' }).waitFor();
      const { name, text } = await download(page, `Download first-of-${routers}.jwt`);
      expect(name).toBe(`first-of-${routers}.jwt`);
      expect(text).toBe((await resource.get(id)).enrollmentJwt);
      await expectAccessible(page);
      await enrollRouter({ jwt: text });
      await page.getByText('The router has enrolled.').waitFor();
    },
  );
});

it('shows the JWT of one enrollment, at 360 pixels without a horizontal scroll bar', async () => {
  const id = await newIdentity('sensor-360', { ott: true });
  const { identities } = run.controller.admin.management;
  const [enrollment] = (await identities.enrollments(id)).data;
  const viewport = { width: 360, height: 740 };
  const page = await run.openSignedIn(`entities/enrollments/${enrollment!.id}`, { viewport });
  await page.getByRole('img', { name: 'QR code of the JWT' }).waitFor();
  await page.getByRole('button', { name: 'New JWT, valid for 1 day' }).click();
  await step(page, 'JWT handed out').getByText('Next').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
  await expectAccessible(page);
});
