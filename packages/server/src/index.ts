export {
  type ChainOptions,
  type ChainRule,
  chainRules,
  extendedKeyUsages,
  type InvalidChain,
  type ValidChain,
  verifyChain,
} from '@edge-controller/certificate-path';
export { type Controller, type ControllerOptions, createController } from './controller.ts';
export { ConfigError, type LoadOptions, loadSettings, type SettingProblem } from './core/config/load.ts';
export type { Settings } from './core/config/schema.ts';
export type { ChangedSetting, SettingsChange } from './core/config/settings-change.ts';
export type { EventBus } from './core/events/bus.ts';
export type { ControllerEvents, EventName } from './core/events/events.ts';
export { createLogger } from './core/log/create-logger.ts';
export type { Logger } from './core/log/log.ts';
export type { HashParameters } from './core/secrets/password-hash.ts';
export { StartError, type StartProblem } from './core/start/start-error.ts';
export type { Machine } from './core/time/clock.ts';
export type { DefaultAdmin } from './credentials/default-admin.ts';
export type { InvalidJwt, JwtCheck, JwtCheckName } from './credentials/jwt/broken-check.ts';
export { type JwtOptions, type ValidJwt, verifyJwt } from './credentials/jwt/verify-jwt.ts';
