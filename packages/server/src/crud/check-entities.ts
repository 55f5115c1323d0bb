import type { StartProblem } from '../core/start/start-error.ts';
import { StartError } from '../core/start/start-error.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import { compareSchema } from './compare-schema.ts';
import type { Entities } from './entity.ts';

/**
 * Checks that the database has the tables, columns and indexes of the entities.
 *
 * @throws StartError that lists everything that is missing
 */
export async function checkEntities(entities: Entities, store: EntityStore): Promise<void> {
  const { missing } = await compareSchema(store, entities);
  const tables = missing.map(
    (line): StartProblem => ({
      message: `The database does not have ${line}`,
      setting: null,
      fix:
        'add it in a migration (server/src/entity-store/migrations) and run `npm run generate`, which registers the file; ' +
        'in a released version, somebody has changed the database: restore it from a backup',
      kind: 'wrong',
    }),
  );
  if (tables.length > 0) throw new StartError(tables);
}
