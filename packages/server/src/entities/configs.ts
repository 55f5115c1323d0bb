import { invalidField } from '../api-error.ts';
import { defineEntity } from '../crud/define-entity.ts';
import type { Caller } from './services.ts';

export const configs = defineEntity<'configs', Caller>('configs', {
  fields: { configTypeId: { unknown: (id) => invalidField('type', 'invalid config type', id) } },

  async prepare({ unit: { tx, caller }, body }, { configTypeId, data }) {
    const types = tx.selectFrom('configTypes').select('schema').where('id', '=', configTypeId);
    const schema = (await types.executeTakeFirst())?.schema;
    if (!body.data) throw invalidField('(root)', '(root) is invalid: (root): data is required');
    if (schema) caller.jsonSchemas.requireValid(schema, data);
    return {};
  },
});
