import type { Kysely, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Settings } from '../../core/config/schema.ts';
import type { Sealer } from '../../core/secrets/sealer.ts';
import type { Caller } from '../../crud/dependencies.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';

/** Whose wrong passwords are counted, and who sends them. */
export interface DelayCaller extends Caller {
  readonly settings: Pick<Settings, 'passwordAttempts'>;
  readonly sealer: Pick<Sealer, 'sign'>;
  /** The address of the client as limits count it. */
  readonly clientNetwork: () => string;
}

/** The wrong passwords that count for one attempt. */
export interface Delay {
  /** A keyed hash of the user name. It may be unknown: nobody sees a difference. */
  readonly account: string;
  /** A keyed hash of the address, if the account has signed in from it lately. Otherwise empty: all other addresses count together. */
  readonly address: string;
  readonly failures: number;
  /** Milliseconds until the next attempt may be made. */
  readonly wait: number;
}

/** Milliseconds. The delay after `edge.passwords.attempts` wrong passwords doubles with each further one. */
const firstDelay = 1_000;
const longestDelay = 900_000;
/** With this many further wrong passwords the delay is the longest one. */
const doublings = 10;
/** Milliseconds after which wrong passwords are forgotten. */
export const forgottenAfter = 24 * 3_600_000;

export function delayKeys(
  { sealer, clientNetwork }: Pick<DelayCaller, 'sealer' | 'clientNetwork'>,
  username: string,
): Pick<Delay, 'account' | 'address'> {
  const account = sealer.sign(`passwords of ${username}`);
  return { account, address: sealer.sign(`passwords of ${account} from ${clientNetwork()}`) };
}

export interface DelayRow {
  /** `failures nextAt knownUntil` of the address, and of all other addresses. */
  readonly fromAddress: string | null;
  readonly fromOthers: string | null;
}

/** What `readDelay` needs, for `select` in a query that reads something else. */
export function delayColumns({ account, address }: Pick<Delay, 'account' | 'address'>) {
  const of = (
    wanted: string,
  ): RawBuilder<string | null> => sql`(select "failures" || ' ' || "nextAt" || ' ' || "knownUntil"
    from "passwordDelays" where "account" = ${account} and "address" = ${wanted})`;
  return [of(address).as('fromAddress'), of('').as('fromOthers')] as const;
}

/** Reads what delays an attempt, without the account. */
export async function findDelay(caller: DelayCaller, username: string): Promise<Delay> {
  const keys = delayKeys(caller, username);
  const row = await caller.database.db.selectNoFrom(delayColumns(keys)).executeTakeFirst();
  return readDelay(caller, keys, row);
}

/** Without a row, as before the first wrong password, nothing delays the attempt. */
export function readDelay(
  { clock, settings }: Pick<DelayCaller, 'clock' | 'settings'>,
  keys: Pick<Delay, 'account' | 'address'>,
  row: DelayRow | undefined,
): Delay {
  const now = clock();
  const own = parse(row?.fromAddress);
  const isKnown = own.knownUntil > now;
  const { failures, nextAt } = isKnown ? own : parse(row?.fromOthers);
  const { account } = keys;
  const isDelayed = settings.passwordAttempts > 0 && failures >= settings.passwordAttempts;
  // A clock that was set back must not make the delay longer.
  const wait = isDelayed ? Math.min(Math.max(0, nextAt - now), longestDelay) : 0;
  return { account, address: isKnown ? keys.address : '', failures, wait };
}

export function parse(columns: string | null | undefined) {
  const [failures = 0, nextAt = 0, knownUntil = 0] = columns?.split(' ').map(Number) ?? [];
  return { failures, nextAt, knownUntil };
}

/** Whether an attempt may be made now. One statement decides and writes, so that parallel attempts do not pass together. */
const isAdmitted = (now: number, attempts: number) => sql<boolean>`("passwordDelays"."failures" < ${attempts}
  or "passwordDelays"."nextAt" <= ${now} or "passwordDelays"."nextAt" > ${now + longestDelay})`;

/** Counts a wrong password. Returns false when it came too soon: then it is not counted, and nobody may learn that it is wrong. */
export async function countFailure(tx: Kysely<Tables>, caller: DelayCaller, delay: Delay): Promise<boolean> {
  const { passwordAttempts: attempts } = caller.settings;
  if (attempts === 0) return true;
  const { account, address } = delay;
  const now = caller.clock();
  const first = now + (attempts === 1 ? firstDelay : 0);
  const failures = sql`case when "passwordDelays"."nextAt" < ${now - forgottenAfter} then 1
    else "passwordDelays"."failures" + 1 end`;
  const { rows } = await sql`insert into "passwordDelays" ("account", "address", "failures", "nextAt", "knownUntil")
    values (${account}, ${address}, 1, ${first}, 0)
    on conflict ("account", "address") do update set
      "failures" = ${failures},
      "nextAt" = cast(${now} as bigint) + case
        when (${failures}) < ${attempts} then 0
        when (${failures}) >= ${attempts + doublings} then ${sql.lit(longestDelay)}
        else ${sql.lit(firstDelay)} << ((${failures}) - cast(${attempts} as integer)) end
    where ${isAdmitted(now, attempts)}
    returning "failures"`.execute(tx);
  return rows.length > 0;
}

/**
 * Forgets the wrong passwords before a right one. Returns false when the right one came too soon. Nothing is written when there were
 * none, see `verifyPassword`.
 */
export async function forgetFailures(tx: Kysely<Tables>, caller: DelayCaller, delay: Delay): Promise<boolean> {
  const { passwordAttempts: attempts } = caller.settings;
  const { account, address } = delay;
  if (attempts === 0 || delay.failures === 0) return true;
  const { rows } = await sql`update "passwordDelays" set "failures" = 0, "nextAt" = 0
    where "account" = ${account} and "address" = ${address} and ${isAdmitted(caller.clock(), attempts)}
    returning "failures"`.execute(tx);
  if (rows.length > 0) return true;
  const row = await tx
    .selectFrom('passwordDelays')
    .select('failures')
    .where('account', '=', account)
    .where('address', '=', address)
    .executeTakeFirst();
  return row === undefined;
}
