import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageFiles } from './bad-networks/open-world.ts';
import { randomRun } from './bad-networks/random-run.ts';
import { openChromium } from './support/chromium.ts';

let browser: Browser;
let files: ReadonlyMap<string, string>;
beforeAll(async () => {
  [browser, files] = await Promise.all([openChromium(), pageFiles()]);
});
afterAll(() => browser.close());

// `npm run networks` makes more of them.
test('random runs end in the right state, and a client whose questions extend the session is found', async () => {
  const run = (seed: number) => randomRun({ browser, files, seed });
  const rewrite = (path: string) => path.replace('?touch=false', '');
  const runs = [1, 2, 3, 4].map(run);
  const { faults } = await randomRun({ browser, files, seed: 5, rewrite });
  expect(faults.filter((fault) => fault.includes('used the session by itself'))).not.toEqual([]);
  const wrong = (await Promise.all(runs)).filter((result) => result.faults.length > 0);
  expect(wrong).toEqual([]);
});
