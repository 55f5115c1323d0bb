import { accessRules } from '../../access/service-access/access-rules.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { checkConfigs } from '../check-configs.ts';
import type { Caller } from '../dependencies.ts';
import { derive, derivedSizes } from './derive.ts';
import { terminatorStrategyOf } from './terminator-strategy.ts';

export const services = defineEntity<'services', Caller>('services', {
  access: accessRules.services,
  fields: {
    name: { access: 'cached' },
    encryptionRequired: { access: 'shown' },
    roleAttributes: { access: 'rights' },
    configs: { access: 'shown' },
    terminatorStrategy: { access: 'shown' },
    maxIdleTimeMillis: { access: 'shown' },
  },

  async prepare({ unit }, { configs, terminatorStrategy }) {
    await checkConfigs(unit, 'service', configs);
    return { terminatorStrategy: terminatorStrategyOf(terminatorStrategy) };
  },

  derive,
  derivedSizes,
});
