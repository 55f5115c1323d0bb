export { ConfigError, type LoadOptions, loadSettings, type Problem } from './config/load.ts';
export type { Settings } from './config/schema.ts';
export type { ChangedSetting, SettingsChange } from './config/settings-change.ts';
export { type Controller, createController } from './controller.ts';
export type { ControllerOptions } from './controller-options.ts';
export { createLogger } from './create-logger.ts';
export type { DefaultAdmin } from './default-admin.ts';
export type { EventBus } from './events/bus.ts';
export type { ControllerEvents, EventName } from './events/events.ts';
export type { InvalidJwt, JwtCheck, JwtCheckName } from './jwt/broken-check.ts';
export { type JwtOptions, type ValidJwt, verifyJwt } from './jwt/verify-jwt.ts';
export type { Logger } from './lib/log.ts';
export type { HashParameters } from './lib/password-hash.ts';
export { StartError, type StartProblem } from './lib/start-error.ts';
export type { Machine } from './lib/steady-clock.ts';
export { type ChainRule, chainRules } from './pki/path/broken-rule.ts';
export {
  type ChainOptions,
  extendedKeyUsages,
  type InvalidChain,
  type ValidChain,
  verifyChain,
} from './pki/path/verify-chain.ts';
