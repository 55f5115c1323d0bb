import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ConsoleRun } from '../support/open-console.ts';
import { expectAccessible, startConsole } from '../support/open-console.ts';

let run: ConsoleRun;
beforeAll(async () => {
  run = await startConsole();
});
afterAll(() => run[Symbol.asyncDispose]());

it('shows sessions as they come, and ends one with a click and a confirmation', async () => {
  const page = await run.openSignedIn('api-sessions');
  const sessions = page.getByRole('table', { name: 'API sessions' });
  await sessions.getByText('This page').waitFor();
  const ada = await run.controller.createIdentity({ name: 'Ada' });
  const edge = await ada.signIn();
  const row = sessions.getByRole('row', { name: /Ada Password 127\.0\.0\.1/ });
  await row.waitFor();
  await expectAccessible(page);

  await page.setViewportSize({ width: 360, height: 740 });
  const isInSight = async (name: string) => {
    const box = await row.getByRole('button', { name }).boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 360;
  };
  expect(await isInSight('End session of Ada')).toBe(true);
  await row.getByRole('button', { name: 'End session of Ada' }).click();
  expect(await isInSight('End this session')).toBe(true);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1280, height: 860 });
  await row.getByRole('button', { name: 'End session of Ada' }).press('Enter');
  await row.getByRole('button', { name: 'End this session' }).press('Enter');
  await row.getByText('Ended').waitFor();
  await expect(edge.client.currentIdentity.get()).rejects.toMatchObject({ status: 401 });
  await row.waitFor({ state: 'detached' });
  await page.setViewportSize({ width: 360, height: 740 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await expectAccessible(page);
});

it('finds the sessions of an identity by a part of its name, and ends all of them', async () => {
  const grace = await run.controller.createIdentity({ name: 'Grace Hopper' });
  await grace.signIn();
  await grace.signIn();
  const page = await run.openSignedIn('api-sessions');
  await page.getByLabel('Name of the identity').fill('hopp');
  const sessions = page.getByRole('table', { name: 'API sessions' });
  await page.getByText('2 sessions').waitFor();
  expect(await sessions.getByRole('row').count()).toBe(3);
  await sessions.getByRole('button', { name: 'End session of Grace Hopper' }).first().click();
  await sessions.getByRole('button', { name: 'End all of Grace Hopper' }).click();
  await expect.poll(() => sessions.getByText('Ended').count()).toBe(2);
  await page.getByText('No API session matches.').waitFor();
});

it('hands the focus to the next row, or to the heading, when a session is ended', async () => {
  const edsger = await run.controller.createIdentity({ name: 'Edsger one' });
  const edith = await run.controller.createIdentity({ name: 'Edsger two' });
  await edsger.signIn();
  await edith.signIn();
  const page = await run.openSignedIn('api-sessions?identity=Edsger');
  const endOf = (name: string) => page.getByRole('button', { name: `End session of ${name}` });
  const focused = () => page.evaluate('document.activeElement.textContent + document.activeElement.ariaLabel');
  await endOf('Edsger two').press('Enter');
  await page.getByRole('button', { name: 'End this session' }).press('Enter');
  await page
    .getByRole('row', { name: /Edsger two/ })
    .getByText('Ended')
    .waitFor();
  await expect.poll(focused).toBe('EndEnd session of Edsger one');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'End all of Edsger one' }).press('Enter');
  await page
    .getByRole('row', { name: /Edsger one/ })
    .getByText('Ended')
    .waitFor();
  await expect.poll(focused).toMatch(/^API sessions/);
  await expectAccessible(page);
});

it('asks nothing while it is paused, and when nobody has used the page for 10 minutes', async () => {
  const page = await run.open('api-sessions');
  await page.clock.install();
  await page.getByLabel('User name').fill(run.controller.adminCredentials.username);
  await page.getByLabel('Password').fill(run.controller.adminCredentials.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('This page').waitFor();
  // The menu asks what the person may do when it comes, and its code may be late.
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'API sessions' }).waitFor();
  const questions: string[] = [];
  page.on('request', (request) => questions.push(request.url()));
  const asked = async () => {
    await page.clock.runFor(4_500);
    return questions.length;
  };
  await expect.poll(asked).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.clock.runFor(1_000);
  questions.length = 0;
  await page.clock.runFor(60_000);
  expect(questions).toEqual([]);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.clock.fastForward(11 * 60_000);
  await page.getByText('Paused: nobody has used this page for 10 minutes').waitFor();
  questions.length = 0;
  await page.clock.runFor(60_000);
  expect(questions).toEqual([]);
  await page.keyboard.press('Tab');
  await page.getByText('Live').waitFor();
});
