import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { Entities, Entity } from './entity.ts';

/** Lines such as `identityId: text not null`, `key id`, `unique name`, `index ownerId value`, `a -> b cascade`. */
type Table = ReadonlySet<string>;

/** How a schema differs from what the contracts and definitions say: `services.maxIdleTimeMillis: integer not null`. */
interface SchemaDifferences {
  readonly missing: readonly string[];
  readonly notDescribed: readonly string[];
}

/** Compares the tables of a database with what the contracts and definitions of entities say. */
export async function compareSchema(store: EntityStore, entities: Entities): Promise<SchemaDifferences> {
  const missing: string[] = [];
  const notDescribed: string[] = [];
  for (const [name, wanted] of Object.values(entities).flatMap(describedTables)) {
    const actual = await readTable(store, name);
    if (actual.size === 0) {
      missing.push(`the table ${name}`);
      continue;
    }
    for (const line of wanted) if (!actual.has(line)) missing.push(`${name}.${line}`);
    for (const line of actual) if (!wanted.has(line)) notDescribed.push(`${name}.${line}`);
  }
  return { missing, notDescribed };
}

function describedTables(entity: Entity): [string, Table][] {
  const { name, columns, sets, options } = entity;
  const own = new Set(['id: text not null', 'createdAt: text not null', 'updatedAt: text not null', 'key id']);
  own.add('tags: text not null').add('index createdAt id');
  for (const { name: column, field, codec } of columns) {
    const canBeNull = field.detail === 'nullable' || field.detail === 'optional';
    own.add(`${column}: ${codec.column}${canBeNull ? '' : ' not null'}`);
    const { onDelete = 'restrict' } = options[column] ?? {};
    if (field.unique) own.add(`unique ${field.unique === true ? '' : `${field.unique.with} `}${column}`);
    if (field.kind !== 'reference') continue;
    own.add(`${column} -> ${field.to} ${onDelete}`);
    // A unique index that begins with the column serves as well.
    if (!columns.some(({ field: { unique } }) => typeof unique === 'object' && unique.with === column))
      own.add(`index ${column}`);
  }
  const setTables = sets.map(({ table, field }): [string, Table] => {
    const lines = ['ownerId: text not null', 'value: text not null', 'key value ownerId', 'index ownerId value'];
    if (field.kind === 'roles') lines.push('need: integer not null');
    if (field.kind === 'references') lines.push(`value -> ${field.to} cascade`);
    return [table, new Set([...lines, `ownerId -> ${name} cascade`])];
  });
  return [[name, own], ...setTables];
}

function readTable({ db, dialect }: EntityStore, table: string): Promise<Table> {
  const read = dialect === 'sqlite' ? readSqliteTable : readPostgresTable;
  return read(db as unknown as Kysely<unknown>, table);
}

interface Line {
  readonly line: string;
}

async function readSqliteTable(db: Kysely<unknown>, table: string): Promise<Table> {
  const read = await sql<Line>`
    select name || ': ' || lower(type) || iif("notnull" or pk, ' not null', '') as line from pragma_table_info(${table})
    union all
    select "from" || ' -> ' || "table" || ' ' || replace(lower(on_delete), 'no action', 'restrict')
      from pragma_foreign_key_list(${table})
    union all
    select iif(origin = 'pk', 'key', iif("unique", 'unique', 'index')) || ' ' ||
      (select group_concat(name, ' ') from (select name from pragma_index_info(i.name) order by seqno))
      from pragma_index_list(${table}) i`.execute(db);
  return new Set(read.rows.map(({ line }) => line));
}

async function readPostgresTable(db: Kysely<unknown>, table: string): Promise<Table> {
  const name = sql`to_regclass(${`"${table}"`})`;
  const columnsOf = (numbers: string, relation: string) => sql`(select string_agg(a.attname, ' ' order by k.at)
    from unnest(${sql.raw(numbers)}) with ordinality as k(number, at)
    join pg_attribute a on a.attrelid = ${sql.raw(relation)} and a.attnum = k.number)`;
  const read = await sql<Line>`
    select a.attname || ': ' || format_type(a.atttypid, null) || case when a.attnotnull then ' not null' else '' end ||
      case when a.attcollation <> 0 and l.collname <> 'C' then ' collate ' || l.collname else '' end as line
      from pg_attribute a left join pg_collation l on l.oid = a.attcollation
      where a.attrelid = ${name} and a.attnum > 0 and not a.attisdropped
    union all
    select ${columnsOf('c.conkey', 'c.conrelid')} || ' -> ' || r.relname || ' ' ||
      case c.confdeltype when 'c' then 'cascade' else 'restrict' end
      from pg_constraint c join pg_class r on r.oid = c.confrelid where c.conrelid = ${name} and c.contype = 'f'
    union all
    select case when i.indisprimary then 'key ' when i.indisunique then 'unique ' else 'index ' end ||
      ${columnsOf('i.indkey', 'i.indrelid')}
      from pg_index i where i.indrelid = ${name}`.execute(db);
  return new Set(read.rows.map(({ line }) => line));
}
