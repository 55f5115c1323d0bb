import type { Page } from 'playwright-core';

/** Fills in the form of the page and sends it. */
export async function signIn(page: Page, credentials: { readonly username: string; readonly password: string }) {
  // Chromium slows down the tabs in the background.
  await page.bringToFront();
  await page.getByLabel('User name').fill(credentials.username);
  await page.getByLabel('Password').fill(credentials.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
