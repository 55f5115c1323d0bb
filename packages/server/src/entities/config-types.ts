import { invalidField } from '../api-error.ts';
import { defineEntity } from '../crud/define-entity.ts';
import type { Caller } from './services.ts';

/** Stands for all config types in a sign-in, so no type may have this name. */
export const allConfigTypes = 'all';

export const configTypes = defineEntity<'configTypes', Caller>('configTypes', {
  async prepare({ unit }, { name, schema }) {
    if (name === allConfigTypes) throw invalidField('name', `${name} stands for all config types`, name);
    const isEmpty = schema === null || Object.keys(schema).length === 0;
    if (isEmpty) return { schema: null };
    unit.caller.jsonSchemas.requireUsable('schema', schema);
    return {};
  },
});
