import { accessRules } from '../access/service-access/access-rules.ts';
import { invalidField } from '../core/api-error.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { Postponed } from '../crud/postponed.ts';
import { allConfigTypes } from '../storage/session-store/session-store.ts';
import type { Caller } from './dependencies.ts';

export const configTypes = defineEntity<'configTypes', Caller>('configTypes', {
  access: accessRules.configTypes,
  fields: { name: { access: 'shown' }, schema: { access: 'none' }, target: { access: 'none' } },

  async prepare({ unit: { caller } }, { name, schema }) {
    if (name === allConfigTypes) throw invalidField('name', `${name} stands for all config types`, name);
    const isEmpty = schema === null || Object.keys(schema).length === 0;
    if (isEmpty) return { schema: null };
    if (!caller.jsonSchemas.requireUsable('schema', schema)) {
      const text = JSON.stringify(schema);
      throw new Postponed(() => caller.jsonSchemas.learn(caller.session?.principal.id ?? '', text));
    }
    return {};
  },
});
