import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fakeController } from '../../test/support/fake-controller.ts';
import { sharedArea } from '../../test/support/shared-area.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

/** Eight tabs of one browser with one session. `delay` decides when responses, messages and values arrive. */
async function openTabs(delay: (label: string) => Promise<unknown>) {
  const controller = fakeController({ delay });
  const area = sharedArea({ delay: () => delay('storage') });
  const settings = { asked: 0 };
  const tabs: EdgeClient[] = Array.from({ length: 8 }, (_one, at) =>
    createEdgeClient(controller.url, {
      fetch: controller.fetch,
      storage: area.tab(),
      async reauthenticate() {
        settings.asked += 1;
        await delay('reauthenticate');
        return tabs[at]?.signIn.password(alice);
      },
    }),
  );
  await tabs[0]?.signIn.password(alice);
  await Promise.all(tabs.map((edge) => edge.waitFor('active')));
  return { controller, tabs, settings };
}

/** Makes a call in one of the tabs. Every third one is a POST. The number tells the calls apart. */
function callIn(tabs: readonly EdgeClient[], number: number): Promise<unknown> {
  const { identities } = (tabs[number % 8] as EdgeClient).management;
  const name = String(number);
  return number % 3 === 0
    ? identities.create({ name, type: 'Device', isAdmin: false })
    : identities.list({ filter: name });
}

test.each([
  { calls: 1_000, numRuns: 1 },
  { calls: 100, numRuns: 15 },
])(
  '$calls calls of 8 tabs that meet an ended session: one sign-in, all are served, each sent twice at most',
  async ({ calls, numRuns }) => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.boolean(), async (scheduler, challenge) => {
        let isScheduled = false;
        // Ten responses arrive together. Their order is free, so some arrive long after the new session has begun.
        let batch = { left: 0, arrives: Promise.resolve() };
        const { controller, tabs, settings } = await openTabs((label) => {
          if (!isScheduled) return Promise.resolve();
          if (!label.endsWith('/identities')) return scheduler.schedule(Promise.resolve(), label);
          if (batch.left === 0) batch = { left: 10, arrives: scheduler.schedule(Promise.resolve(), label) };
          batch.left -= 1;
          return batch.arrives;
        });
        controller.settings.challenge = challenge;
        controller.live.clear();
        isScheduled = true;
        await scheduler.waitFor(Promise.all(Array.from({ length: calls }, (_one, number) => callIn(tabs, number))));
        isScheduled = false;
        expect([settings.asked, controller.signIns()]).toEqual([1, 2]);
        const sends = new Map<string, number>();
        for (const { name } of controller.sent) if (name) sends.set(name, (sends.get(name) ?? 0) + 1);
        expect([sends.size, Math.max(...sends.values())]).toEqual([calls, 2]);
        for (const edge of tabs) edge.dispose();
      }),
      { numRuns },
    );
  },
);
