import AxeBuilder from '@axe-core/playwright';
import type { TestController, TestControllerOptions } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { pinnedKey } from '../../../../examples/browser-sign-in/open-browser.ts';
import { chromium as findChromium } from '../../../../scripts/chromium.ts';
import { buildConsole } from './build-console.ts';

export interface ConsoleRun {
  readonly controller: TestController;
  /** The address of the console, with `/` at its end. */
  readonly address: string;
  readonly browser: Browser;
  /** Opens a page of a new browser profile. Errors in its scripts fail the test. */
  open(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  /** Opens a page and signs the administrator in. */
  openSignedIn(path?: string, options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A controller, the console, and a browser. Use one for all tests of a file. */
export async function startConsole(options: TestControllerOptions = {}): Promise<ConsoleRun> {
  await buildConsole();
  const controller = await startTestController({ consoleEnabled: true, ...options });
  const browser = await launch(controller.url);
  const address = `${controller.url}/console/`;

  async function open(path = '', contextOptions: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...contextOptions });
    onTestFinished(() => context.close());
    const page = await newPage(context);
    await page.goto(address + path);
    return page;
  }

  return {
    ...{ controller, address, browser, open },
    async openSignedIn(path, contextOptions) {
      const page = await open(path, contextOptions);
      await signIn(page, controller.adminCredentials);
      await page.getByRole('banner').waitFor();
      return page;
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await controller[Symbol.asyncDispose]();
    },
  };
}

async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (entry) => {
    // The browser logs every refused request. The page shows these errors to the person.
    if (entry.type() === 'error' && !entry.text().startsWith('Failed to load resource')) errors.push(entry.text());
  });
  onTestFinished(() => expect(errors).toEqual([]));
  return page;
}

async function launch(url: string): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === '') throw new Error('Chromium was not found. Install it, or set CHROME_PATH.');
  return chromium.launch({
    executablePath,
    args: [
      ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
      ...['--disable-background-networking', '--disable-component-update'],
      `--ignore-certificate-errors-spki-list=${await pinnedKey(url)}`,
    ],
  });
}

/** Fills the form for a password, on a page or in a dialog. */
export async function signIn(
  page: Pick<Page, 'getByLabel' | 'getByRole'>,
  { username, password }: { readonly username: string; readonly password: string },
): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Resolves when the page has asked the controller nothing for half a second. */
export async function settled(page: Page): Promise<void> {
  let askedAt = Date.now();
  const count = () => {
    askedAt = Date.now();
  };
  page.on('request', count);
  page.on('requestfinished', count);
  await expect.poll(() => Date.now() - askedAt).toBeGreaterThan(500);
  page.off('request', count);
  page.off('requestfinished', count);
}

/** Fails when axe finds a violation on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual([]);
}

/** Presses a button or a link, if it is there: a page whose session has ended may have noticed it already, and is gone then. */
export async function pressIfThere(page: Page, text: string): Promise<void> {
  const all = "document.querySelectorAll('button, a')";
  await page.evaluate(`Array.from(${all}).find((one) => one.textContent.trim() === ${JSON.stringify(text)})?.click()`);
}
