import { expect } from '@playwright/test';
import { startApp } from './app.ts';
import { test } from './playwright-fixture.ts';

test('a person signs in on the page', async ({ controller, page }) => {
  const app = await startApp(controller);
  const ada = await controller.createIdentity({ isAdmin: true });
  await page.goto(app.url);
  await page.getByLabel('User name').fill(ada.username);
  await page.getByLabel('Password').fill(ada.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('status')).toHaveText('There are 0 sensors');
  app.close();
});
