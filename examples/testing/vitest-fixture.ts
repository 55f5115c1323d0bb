import type { TestController } from '@edge-controller/sdk/testing';
import { startTestController } from '@edge-controller/sdk/testing';
import { test as base } from 'vitest';

/** `controller`: one controller for all tests of a file. */
export const test = base.extend<{ controller: TestController }>({
  controller: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern that it needs no other fixture
    async ({}, use) => {
      await using controller = await startTestController();
      await use(controller);
    },
    { scope: 'file' },
  ],
});
