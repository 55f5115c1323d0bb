import type { EntityStore } from '../entity-store/entity-store.ts';
import type { StartProblem } from '../lib/start-error.ts';
import { StartError } from '../lib/start-error.ts';
import { compareSchema } from './compare-schema.ts';
import type { Entities } from './entity.ts';
import { entityFaults } from './entity-faults.ts';

/**
 * Checks that contracts, definitions and tables of the entities fit together.
 *
 * @throws StartError that lists everything that does not fit
 */
export async function checkEntities(entities: Entities, store: EntityStore): Promise<void> {
  const faults = entityFaults(entities).map(
    (fault): StartProblem => ({
      message: `The entities are not described well: ${fault}`,
      setting: null,
      fix: 'correct the contract (shared-types/src/entities) or the definition (server/src/entities)',
      kind: 'wrong',
    }),
  );
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
  if (faults.length + tables.length > 0) throw new StartError([...faults, ...tables]);
}
