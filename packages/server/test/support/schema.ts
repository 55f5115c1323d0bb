import { compareSchema } from '../../src/crud/compare-schema.ts';
import type { Entities } from '../../src/crud/entity.ts';
import type { EntityStore } from '../../src/storage/entity-store/entity-store.ts';

/** Returns how the schema of a database differs from the definitions: `services.maxIdleTimeMillis: integer not null is missing`. */
export async function disagreements(store: EntityStore, entities: Entities): Promise<string[]> {
  const { missing, notDescribed } = await compareSchema(store, entities);
  return [
    ...missing.map((line) => `${line} is missing`),
    ...notDescribed.map((line) => `${line} is described nowhere`),
  ];
}
