import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { test as base } from '@playwright/test';

/** `controller`: one controller for all tests of a worker. */
export const test = base.extend<object, { controller: TestController }>({
  controller: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads from the pattern that it needs no other fixture
    async ({}, use) => {
      await using controller = await startTestController();
      await use(controller);
    },
    { scope: 'worker' },
  ],
});
