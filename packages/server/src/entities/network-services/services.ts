import { ApiError } from '../../api-error.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import type { Caller } from '../services.ts';
import { checkConfigs } from './check-configs.ts';
import { derive } from './derive.ts';

const byDefault = 'smartrouting';
const strategies = [byDefault, 'random', 'sticky', 'weighted'];

export const services = defineEntity<'services', Caller>('services', {
  async prepare({ unit }, { configs, terminatorStrategy: name }) {
    const terminatorStrategy = name || byDefault;
    if (!strategies.includes(terminatorStrategy)) {
      const message = `terminatorStrategy with name ${name} not found`;
      throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
    }
    await checkConfigs(unit, configs);
    return { terminatorStrategy };
  },

  derive,
});
