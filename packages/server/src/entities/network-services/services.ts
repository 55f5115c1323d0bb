import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';
import { checkConfigs } from './check-configs.ts';
import { derive } from './derive.ts';
import { terminatorStrategyOf } from './terminator-strategy.ts';

export const services = defineEntity<'services', Caller>('services', {
  async prepare({ unit }, { configs, terminatorStrategy }) {
    await checkConfigs(unit, configs);
    return { terminatorStrategy: terminatorStrategyOf(terminatorStrategy) };
  },

  derive,
});
