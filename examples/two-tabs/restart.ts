import assert from 'node:assert/strict';
import type { EdgeClient } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import type { BrowserContext, Page, Request } from 'playwright-core';
import type { startController } from '../keep-alive/start-controller.ts';
import { signIn } from './sign-in.ts';

type Controller = Awaited<ReturnType<typeof startController>>;

/** Calls of one tab, so that all tabs make 1,000 together. */
const callsPerTab = 125;

/** Makes calls at once in a tab, every second one a POST. Resolves to how many were served, and the names of the errors. */
function call(page: Page, tab: number, count: number): Promise<{ served: number; errors: string[] }> {
  return page.evaluate(
    async ([prefix, calls]) => {
      const { identities } = (window as unknown as { edge: EdgeClient }).edge.management;
      // The calls wait for a person.
      const options = { timeout: 120_000 };
      const outcomes = await Promise.allSettled(
        Array.from({ length: calls }, (_one, at) =>
          at % 2 === 0
            ? identities.list({ limit: 1 }, options)
            : identities.create({ name: `${prefix}-${at}`, type: 'Device', isAdmin: false }, options),
        ),
      );
      const errors = outcomes.flatMap((one) => (one.status === 'rejected' ? [String(one.reason.name)] : []));
      return { served: calls - errors.length, errors };
    },
    [`device-${tab}`, count] as const,
  );
}

const texts = (page: Page) => page.locator('#log li').allTextContents();
const sessionIds = async (pages: readonly Page[]) =>
  new Set(await Promise.all(pages.map((page) => page.locator('#session-id').textContent())));

/** The API requests of all tabs until `stop`. The browser does not show the preflight requests. */
function watch(context: BrowserContext, url: string) {
  const sent: Request[] = [];
  const refused: Request[] = [];
  const toController = (request: Request) => request.url().startsWith(url);
  const onRequest = (request: Request) => void (toController(request) && sent.push(request));
  const onResponse = (response: { status(): number; request(): Request }) =>
    void (response.status() === 401 && refused.push(response.request()));
  context.on('request', onRequest).on('response', onResponse);
  return {
    sent,
    refused,
    signIns: () => sent.filter((request) => request.url().includes('/authenticate?')).length,
    stop: () => void context.off('request', onRequest).off('response', onResponse),
  };
}

type Requests = ReturnType<typeof watch>;

/** Restarts the controller under many tabs that share a session, and checks what the tabs do. */
export class Restart {
  readonly #controller: Controller;
  readonly #pages: readonly [Page, ...Page[]];

  constructor(controller: Controller, pages: readonly [Page, ...Page[]]) {
    this.#controller = controller;
    this.#pages = pages;
  }

  async keepingSessions(): Promise<void> {
    const pages = this.#pages;
    const controller = this.#controller;
    await Promise.all(pages.map((page) => page.getByRole('heading', { name: 'Signed in as' }).waitFor()));
    const ids = await sessionIds(pages);
    const before = await Promise.all(pages.map(texts));
    const requests = this.#watch();
    await controller.stop();
    const during = await Promise.all(pages.map((page, tab) => call(page, tab, 2)));
    assert.deepEqual(
      during.map(({ errors }) => errors),
      pages.map(() => ['EdgeNetworkError', 'EdgeNetworkError']),
    );
    await controller.startAgain();
    const after = await Promise.all(pages.map((page, tab) => call(page, tab, 4)));
    assert.ok(after.every(({ served }) => served === 4));

    const seen = (await Promise.all(pages.map(texts))).map((lines, tab) => lines.slice(before[tab]?.length));
    assert.deepEqual(
      seen,
      pages.map(() => ['stale', 'active']),
    );
    assert.equal(requests.signIns(), 0);
    assert.deepEqual(await sessionIds(pages), ids);
    requests.stop();
    console.log(`after a restart, ${pages.length} tabs went on with their session: stale, then active, no sign-in`);
  }

  async losingSessions(): Promise<void> {
    const pages = this.#pages;
    const controller = this.#controller;
    const ids = await sessionIds(pages);
    await controller.stop();
    await controller.loseSessions();
    await controller.startAgain();

    const requests = this.#watch();
    const total = callsPerTab * pages.length;
    const calls = Promise.all(pages.map((page, tab) => call(page, pages.length + tab, callsPerTab)));
    const asked = pages.map((page) =>
      page
        .getByText('Your session has ended.')
        .waitFor()
        .then(() => page),
    );
    const page = await Promise.any(asked);
    // The person is slow: all calls are refused before the sign-in.
    while (requests.refused.length < total) await pages[0].context().waitForEvent('response');
    await signIn(page, controller.credentials);
    const outcomes = await calls;
    assert.deepEqual(
      outcomes.flatMap(({ errors }) => errors),
      [],
    );
    requests.stop();
    this.#checkSentTwice(requests);
    await this.#checkNewSession(ids);
    console.log(
      `after a restart that lost all sessions, ${pages.length} tabs with ${total} calls at once were served: ` +
        `${requests.refused.length} refusals, ${requests.signIns()} sign-in, each call sent twice`,
    );
  }

  #watch(): Requests {
    return watch(this.#pages[0].context(), this.#controller.url);
  }

  #checkSentTwice(requests: Requests): void {
    const pages = this.#pages;
    assert.equal(requests.signIns(), 1);
    // Every call was refused once and served once. A second POST with the same name would have failed.
    // The tab that signs in ends the session before it, too.
    const isCall = (request: Request) => !request.url().includes('/authenticate?') && request.method() !== 'DELETE';
    const calling = requests.sent.filter(isCall);
    const sends = Map.groupBy(calling, (request) => request.frame().page());
    assert.deepEqual(
      pages.map((tab) => sends.get(tab)?.length),
      pages.map(() => 2 * callsPerTab),
    );
    assert.equal(
      calling.filter((request) => request.method() === 'POST').length,
      2 * Math.floor(callsPerTab / 2) * pages.length,
    );
  }

  async #checkNewSession(ids: ReadonlySet<string | null>): Promise<void> {
    const controller = this.#controller;
    const now = await sessionIds(this.#pages);
    assert.deepEqual([now.size, [...now].some((id) => ids.has(id))], [1, false]);
    await using admin = createEdgeClient(controller.url, { caFile: controller.caFile });
    await admin.signIn.password(controller.credentials);
    const { meta } = await admin.management.apiSessions.list();
    // The session of the tabs, and this one: the tabs have signed in once.
    assert.equal(meta.pagination?.totalCount, 2);
    await admin.signOut();
  }
}
