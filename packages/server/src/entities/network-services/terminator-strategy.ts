import { ApiError } from '../../core/api-error.ts';
import { terminatorStrategies } from '../../network/circuits/choose-terminator.ts';

const byDefault = 'smartrouting';

/**
 * Returns the strategy with this name. An empty name is that of the default.
 *
 * @throws 404 for an unknown name
 */
export function terminatorStrategyOf(name: string): string {
  const strategy = name || byDefault;
  if (terminatorStrategies.includes(strategy)) return strategy;
  const message = `terminatorStrategy with name ${strategy} not found`;
  throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}
