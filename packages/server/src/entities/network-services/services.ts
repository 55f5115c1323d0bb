import { defineEntity } from '../../crud/define-entity.ts';
import { checkConfigs } from '../check-configs.ts';
import type { Caller } from '../services.ts';
import { derive, derivedSizes } from './derive.ts';
import { terminatorStrategyOf } from './terminator-strategy.ts';

export const services = defineEntity<'services', Caller>('services', {
  async prepare({ unit }, { configs, terminatorStrategy }) {
    await checkConfigs(unit, 'service', configs);
    return { terminatorStrategy: terminatorStrategyOf(terminatorStrategy) };
  },

  derive,
  derivedSizes,
});
