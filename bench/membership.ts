// Prints how long questions about membership by roles take, in milliseconds, on both databases.
// Usage: node --conditions=source membership.ts [rounds=9]
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { isSelected, policiesSelecting, policiesSelectingBoth, selectedBy } from '../packages/server/src/crud/roles.ts';
import type { EmptyDatabase } from '../packages/server/test/support/databases.ts';
import { openEmptyPostgres, openEmptySqlite } from '../packages/server/test/support/databases.ts';
import { insertRows } from '../packages/server/test/support/membership.ts';
import { startTestPostgres } from '../packages/server/test/support/postgres.ts';
import { fill, idOf } from './membership-data.ts';

type Query = RawBuilder<unknown>;
type Entities = keyof typeof tables;

/** Measures a question: how many rows it finds, once in two steps and, where there is one, once with the plain join. */
interface Question {
  readonly name: string;
  readonly ask: () => Promise<number | ''>;
  readonly join?: () => Promise<number>;
}

const rounds = Number(process.argv[2] ?? 9);
const tables = {
  identities: { roles: 'servicePolicies_identityRoles', attributes: 'identities_roleAttributes' },
  services: { roles: 'servicePolicies_serviceRoles', attributes: 'services_roleAttributes' },
} as const;

const postgres = await startTestPostgres();
try {
  await measure('SQLite', await openEmptySqlite());
  await measure('PostgreSQL', await openEmptyPostgres(postgres.url));
} finally {
  await postgres.stop();
}

async function measure(name: string, opened: EmptyDatabase): Promise<void> {
  await using database = opened;
  await fill(database);
  if (name === 'PostgreSQL') await sql`vacuum analyze`.execute(database.db);
  say(`\n${name}: minimum/median of ${rounds} rounds in ms; a list is its count and a page of 10`);
  say(`  ${''.padEnd(46)}${'rows'.padStart(8)}${'two steps'.padStart(16)}${'plain join'.padStart(16)}`);
  for (const { name, ask, join } of await questions(database)) {
    const rows = await ask();
    if (join && rows !== (await join())) throw new Error(`${name}: the plain join finds other rows`);
    const cells = [await timed(ask), join ? await timed(join) : ''].map((cell) => cell.padStart(16));
    say(`  ${name.padEnd(46)}${String(rows).padStart(8)}${cells.join('')}`.trimEnd());
  }
}

async function questions(database: EmptyDatabase): Promise<Question[]> {
  const { db, dialect } = database;
  const scalar = async (query: Query) => {
    const { rows } = await sql<{ n: number | string }>`${query}`.execute(db);
    return Number(rows[0]?.n ?? 0);
  };
  const list = async (target: Entities, condition: Query | null) => {
    const from = sql`from ${sql.table(target)} t ${condition ? sql`where ${condition}` : sql``}`;
    await sql`select * ${from} order by t."id" limit 10`.execute(db);
    return scalar(sql`select count(*) as n ${from}`);
  };
  const listQuestion = (name: string, target: Entities, policies: Query): Question => ({
    name,
    async ask() {
      const selection = await selectedBy({ ...tables[target], db, dialect, policies });
      return list(target, isSelected(selection, { dialect, attributes: tables[target].attributes }));
    },
    join: () => list(target, sql`t."id" in (${plainJoin(target, policies)})`),
  });
  const selecting = (from: Entities, at: number) =>
    policiesSelecting({ ...tables[from], id: idOf(from === 'identities' ? 'i' : 's', at) });
  const identity = { ...tables.identities, id: idOf('i', 1_234) };
  const service = { ...tables.services, id: idOf('s', 37) };
  const both = policiesSelectingBoth(identity, service);
  const largest = async (need: string) => {
    const { rows } = await sql<{ ownerId: string }>`select r."ownerId" from "servicePolicies_identityRoles" r
      join "identities_roleAttributes" a on '#' || a."value" = r."value" where r."need" ${sql.raw(need)}
      group by r."ownerId" order by count(*) desc, r."ownerId" limit 1`.execute(db);
    return sql`${rows[0]?.ownerId}`;
  };
  return [
    listQuestion('services of an identity', 'services', selecting('identities', 1_234)),
    listQuestion('services of an identity, of all but #all', 'services', withoutAll('servicePolicies_serviceRoles')),
    listQuestion('identities of a policy, AnyOf', 'identities', await largest('= 1')),
    listQuestion('identities of a policy, AllOf', 'identities', await largest('> 1')),
    listQuestion('identities of a service', 'identities', selecting('services', 37)),
    listQuestion('identities of a service, another', 'identities', selecting('services', 185)),
    listQuestion('identities of a service, one policy with #all', 'identities', selecting('services', 74)),
    {
      name: 'may I dial this service?',
      ask: () => scalar(sql`select count(*) as n from "servicePolicies" where "type" = 'Dial' and "id" in (${both})`),
    },
    ...changes(database),
  ];
}

function changes({ db }: EmptyDatabase): Question[] {
  let made = 0;
  return [
    {
      name: 'new policy, #all to #all, and its end',
      async ask() {
        made += 1;
        const id = `new ${made}`;
        await db.transaction().execute(async (tx) => {
          await insertRows({ db: tx }, 'servicePolicies', [[id, 'Dial']]);
          for (const { roles } of Object.values(tables)) await insertRows({ db: tx }, roles, [[id, '#all', 1]]);
        });
        // The other questions have policies without it.
        await sql`delete from "servicePolicies" where "id" = ${id}`.execute(db);
        return '';
      },
    },
    {
      name: 'change of the attributes of an identity',
      async ask() {
        made += 1;
        const id = idOf('i', 55);
        const rows = ['a1', 'a2', `new ${made}`].map((value) => [id, value]);
        await db.transaction().execute(async (tx) => {
          await sql`delete from "identities_roleAttributes" where "ownerId" = ${id}`.execute(tx);
          await insertRows({ db: tx }, 'identities_roleAttributes', rows);
        });
        return '';
      },
    },
  ];
}

/** The baseline: one statement that joins the roles of the policies to the attributes of the entities. */
function plainJoin(target: Entities, policies: Query): Query {
  const { roles, attributes } = tables[target];
  const read = sql`${sql.table(roles)} r where r."ownerId" in (${policies})`;
  return sql`select "ownerId" from (select a."ownerId" from ${sql.table(roles)} r
      join ${sql.table(attributes)} a on a."value" = substr(r."value", 2)
      where r."ownerId" in (${policies}) and r."value" like '#%' and r."value" <> '#all'
      group by r."ownerId", a."ownerId" having count(*) >= max(r."need")) held
    union all select substr(r."value", 2) from ${read} and r."value" like '@%'
    union all select t."id" from ${sql.table(target)} t where exists (select 1 from ${read} and r."value" = '#all')`;
}

function withoutAll(roles: string): Query {
  return sql`select "ownerId" from ${sql.table(roles)} where "value" <> '#all'`;
}

async function timed(work: () => Promise<unknown>): Promise<string> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  return `${times[0]?.toFixed(1)}/${times[rounds >> 1]?.toFixed(1)}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
