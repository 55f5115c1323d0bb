import { accessRules } from '../access/service-access/access-rules.ts';
import { invalidField } from '../core/api-error.ts';
import { defineEntity } from '../crud/define-entity.ts';
import { Postponed } from '../crud/postponed.ts';
import type { Caller } from './dependencies.ts';

export const configs = defineEntity<'configs', Caller>('configs', {
  access: accessRules.configs,
  fields: {
    name: { access: 'none' },
    configTypeId: { access: 'none', unknown: (id) => invalidField('type', 'invalid config type', id) },
    data: { access: 'shown' },
  },

  async prepare({ unit: { tx, caller }, body }, { configTypeId, data }) {
    // A PATCH without data: what is stored stays, also when the schema has changed since.
    if (!body.data) return {};
    const types = tx.selectFrom('configTypes').select('schema').where('id', '=', configTypeId);
    const schema = (await types.executeTakeFirst())?.schema;
    if (schema && !caller.jsonSchemas.requireValid(schema, data)) {
      throw new Postponed(() => caller.jsonSchemas.learn(caller.session?.principal.id ?? '', schema, data));
    }
    return {};
  },
});
