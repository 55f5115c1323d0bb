import { sql } from 'kysely';
import type { Delay, DelayCaller, DelayRow } from './password-delays.ts';
import { parse } from './password-delays.ts';

/** Milliseconds in which an account may sign in again from an address, whatever others send. */
const knownFor = 30 * 24 * 3_600_000;
/** Milliseconds in which a sign-in from the same address is not written again. */
const freshFor = 24 * 3_600_000;
/** Most addresses of one account. The least recently used one is forgotten. */
const mostAddresses = 10;

/**
 * Records that an account has signed in from an address. Wrong passwords that others send from elsewhere do not delay it there.
 * Call it only after a sign-in. `row` is what was stored before.
 */
export async function rememberAddress(
  caller: DelayCaller,
  { account, address }: Pick<Delay, 'account' | 'address'>,
  row: DelayRow | undefined,
): Promise<void> {
  const now = caller.clock();
  const isFresh = parse(row?.fromAddress).knownUntil > now + knownFor - freshFor;
  if (isFresh || caller.settings.passwordAttempts === 0) return;
  const knownUntil = now + knownFor;
  await caller.database.transaction(async (tx) => {
    await tx
      .insertInto('passwordDelays')
      .values({ account, address, failures: 0, nextAt: 0, knownUntil })
      .onConflict((conflict) => conflict.columns(['account', 'address']).doUpdateSet({ knownUntil }))
      .execute();
    await tx
      .deleteFrom('passwordDelays')
      .where('account', '=', account)
      .where('knownUntil', '>', 0)
      .where('address', 'not in', (query) =>
        query
          .selectFrom('passwordDelays')
          .select('address')
          .where('account', '=', account)
          .where('knownUntil', '>', 0)
          .orderBy('knownUntil', 'desc')
          .limit(sql.lit(mostAddresses)),
      )
      .execute();
  });
}
