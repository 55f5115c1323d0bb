// Random runs of the SDK in Chromium: networks that slow down, lose, go away and come back, tabs that freeze and wake, machines
// that sleep, clocks that jump, a controller that restarts. Each run must end in the right state, with no false `expiring`, no
// extension without a use, and nobody signed out who was not.
// Usage: npm run networks -- [runs=50] [first seed]
import { openChromium } from '../support/chromium.ts';
import { pageFiles } from './open-world.ts';
import { randomRun } from './random-run.ts';

const [runs = 50, firstSeed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number);
/** Most of a run is waiting. */
const parallel = 8;

const [browser, files] = await Promise.all([openChromium(), pageFiles()]);
let next = 0;
let wrong = 0;
let uses = 0;

async function work(): Promise<void> {
  while (next < runs) {
    const seed = firstSeed + next;
    next += 1;
    const result = await randomRun({ browser, files, seed });
    uses += result.uses;
    if (result.faults.length === 0) continue;
    wrong += 1;
    console.log([`seed ${seed}:`, ...result.faults.map((fault) => `  fault: ${fault}`), ...result.log].join('\n'));
  }
}

try {
  await Promise.all(Array.from({ length: parallel }, work));
} finally {
  await browser.close();
}
console.log(`${next} runs from seed ${firstSeed}, ${uses} uses, ${wrong} runs with faults`);
process.exitCode = wrong === 0 ? 0 : 1;
