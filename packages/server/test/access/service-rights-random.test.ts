import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import { RightsRun } from '../support/rights-run.ts';
import { someStep } from '../support/rights-steps.ts';
import { testTime } from '../support/totp.ts';

const stepsInRun = 10;
/** `npm run rights -- 10000` takes more. */
const steps = Number(process.env.EDGE_TEST_STEPS ?? 150);

it.each(storePairs)(
  'who may use which service is what a plain evaluation says, and no session outlives its right, on $stores',
  { timeout: 60_000 + steps * 400 },
  async ({ open }) => {
    const time = testTime();
    const limits = { totpAttempts: 1_000_000, stepUpMaxAge: 365 * 86_400_000 };
    const options = { ...(await open()), clock: time.clock, ...limits, sealKey: Buffer.alloc(32, 7) };
    await using first = await startController(options);
    // A file is for one controller.
    await using second = await startController(options.redisUrl ? options : {});
    const run = await RightsRun.start(options.redisUrl ? [first, second] : [first], time);
    const check = fc.asyncProperty(
      fc.array(someStep, { minLength: stepsInRun, maxLength: stepsInRun }),
      async (all) => {
        for (const step of all) await run.step(step);
      },
    );
    const enoughLost = steps / 20;
    // When posture checks stand in the way for long, few sessions begin and few are lost: more steps then.
    for (let part = 0; part < 3 && run.lost <= enoughLost; part += 1) {
      // The world stays as the last run left it: a counterexample cannot be made smaller.
      await fc.assert(check, { numRuns: Math.ceil(steps / stepsInRun), endOnFailure: true });
    }
    expect(run.lost).toBeGreaterThan(enoughLost);
    expect(run.counts.size).toBeGreaterThanOrEqual(Math.min(12, steps / 10));
  },
);
