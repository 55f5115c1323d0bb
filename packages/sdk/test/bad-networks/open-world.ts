import type { Browser, CDPSession, Page } from 'playwright-core';
import { nodeFetch } from '../../src/node/index.ts';
import { startTestController } from '../../src/testing/index.ts';
import { bundle } from '../support/bundle.ts';
import type { Condition } from './network.ts';
import { openNetwork } from './network.ts';
import type { PageEvent, PageScript } from './page-script.ts';
import { Truth, usePath } from './truth.ts';

/** The session timeout in milliseconds. */
export const sessionTimeout = 6_000;
const html = '<!doctype html><title>page</title><script type="module" src="/stdin.js"></script>';

/** An event, and the tab that reported it. */
export interface TabEvent extends PageEvent {
  readonly tab: number;
}

export interface Tab {
  readonly number: number;
  isHidden: boolean;
  isFrozen: boolean;
  /** Runs it in the page. */
  run<T, A>(work: (page: PageScript, argument: A) => T | Promise<T>, argument: A): Promise<T>;
  run<T>(work: (page: PageScript) => T | Promise<T>): Promise<T>;
  setFrozen(value: boolean): Promise<void>;
  setHidden(value: boolean): Promise<void>;
  reload(): Promise<void>;
  close(): Promise<void>;
}

/** The page with its files, by path. */
export async function pageFiles(): Promise<ReadonlyMap<string, string>> {
  const { chunks } = await bundle("export { page } from '../test/bad-networks/page-script.ts'");
  const files = [...chunks].map(([name, text]) => [`/${name}`, text] as const);
  return new Map([['/', html], ...files]);
}

interface WorldParts {
  readonly browser: Browser;
  readonly files: ReadonlyMap<string, string>;
  readonly random: () => number;
  /** Changes what clients ask, to show that the runs find it. */
  readonly rewrite?: ((path: string) => string) | undefined;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

/** A controller, a network, and a browser with tabs that share a session. */
export async function openWorld({ browser, files, random, rewrite }: WorldParts) {
  const controller = await startTestController({ sessionTimeout });
  const direct = nodeFetch({ ca: [controller.ca] });
  const { username, password } = await controller.createIdentity();
  const truth = new Truth(sessionTimeout);
  const network = await openNetwork({
    ...{ controller: controller.url, fetch: direct, files, random, rewrite },
    onArrival: truth.note,
  });
  const context = await browser.newContext();
  const tabs = new Set<Tab>();
  const pages = new Map<Page, number>();
  const events: TabEvent[] = [];
  const troubles: { from: number; to: number }[] = [];
  let condition: Condition | 'offline' = 'up';
  await context.exposeBinding('report', ({ page }, event: PageEvent) => {
    events.push({ ...event, tab: pages.get(page) ?? 0 });
    if (event.name === 'signOutAsked') truth.recordSignOut(event.sessionId, event.at);
  });

  async function become(value: Condition | 'offline'): Promise<void> {
    if (value !== 'up' && condition === 'up') troubles.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
    condition = value;
    network.become(value === 'offline' ? 'away' : value);
    await context.setOffline(value === 'offline');
    const last = troubles.at(-1);
    if (value === 'up' && last) last.to = Math.min(last.to, Date.now());
  }

  async function openTab(): Promise<Tab> {
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    pages.set(page, pages.size + 1);
    const onClose = () => void tabs.delete(tab);
    const tab = createTab({ page, devTools, number: pages.size, isOffline: () => condition === 'offline', onClose });
    await page.goto(network.url);
    tabs.add(tab);
    return tab;
  }

  return {
    ...{ username, password, tabs, events, truth, troubles, become, openTab },
    condition: () => condition,
    ...usesElsewhere({ url: controller.url, direct, truth }),
    async restart(): Promise<void> {
      troubles.unshift({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      const [trouble] = troubles;
      await controller.restart();
      if (trouble) trouble.to = Date.now();
    },
    async close(): Promise<void> {
      await context.close();
      await network.close();
      await direct.close();
      await controller[Symbol.asyncDispose]();
    },
  };
}

interface Elsewhere {
  /** Of the controller. */
  readonly url: string;
  readonly direct: ReturnType<typeof nodeFetch>;
  readonly truth: Truth;
}

/** What others than the tabs do with the session. */
function usesElsewhere({ url, direct, truth }: Elsewhere) {
  return {
    /** Uses the session without the tabs, as a backend does. */
    async touchElsewhere(token: string | null): Promise<void> {
      if (token === null) return;
      const sentAt = Date.now();
      const { status, body } = await direct(`${url}${usePath}`, { headers: { 'svc-session': token } });
      await body?.cancel();
      truth.note({
        ...{ method: 'GET', path: usePath, token, status, sentAt, answeredAt: Date.now() },
        ...{ isDelivered: false, body: {} },
      });
    },
    /** Whether the controller knows the session. The question is no use of it. */
    async isKnown(token: string): Promise<boolean> {
      const { status, body } = await direct(`${url}/edge/client/v1/current-api-session?touch=false`, {
        headers: { 'svc-session': token },
      });
      await body?.cancel();
      return status === 200;
    },
  };
}

interface TabParts {
  readonly page: Page;
  readonly devTools: CDPSession;
  readonly number: number;
  readonly isOffline: () => boolean;
  readonly onClose: () => void;
}

function createTab({ page, devTools, number, isOffline, onClose }: TabParts): Tab {
  const tab: Tab = {
    ...{ number, isHidden: false, isFrozen: false },
    async run<T, A>(work: (script: PageScript, argument: A) => T | Promise<T>, argument?: A): Promise<T> {
      // The page has its functions when its script has run.
      await page.waitForFunction('globalThis.page', null, { polling: 50 });
      const call = `(${work})(globalThis.page, ${JSON.stringify(argument)})`;
      return (await page.evaluate(call)) as T;
    },
    async setFrozen(value) {
      tab.isFrozen = value;
      await devTools.send('Page.setWebLifecycleState', { state: value ? 'frozen' : 'active' });
    },
    async setHidden(value) {
      tab.isHidden = value;
      await tab.run((script, isHidden) => script.setHidden(isHidden), value);
    },
    async reload() {
      // Without a network there is no page.
      if (isOffline()) return;
      tab.isHidden = false;
      await page.reload();
    },
    async close() {
      onClose();
      await page.close();
    },
  };
  return tab;
}
