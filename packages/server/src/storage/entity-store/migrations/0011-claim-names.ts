import { sql } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

const columns = ['claimsProperty', 'enrollNameClaimsSelector', 'enrollAttributeClaimsSelector'];

/**
 * What selects a claim is a JSON pointer only when it begins with a slash. It needed none before, so pointers get theirs. A
 * URL stays: it was meant as a name, and no claims can be imagined in which it found anything as a pointer.
 */
export const claimNames: SchemaChange = async (db) => {
  for (const name of columns) {
    const column = sql.ref(name);
    await sql`update "externalJwtSigners" set ${column} = '/' || ${column}
      where ${column} not like '/%' and (${column} like '%/%' or ${column} like '%~%')
      and ${column} not like '%://%'`.execute(db);
  }
};
