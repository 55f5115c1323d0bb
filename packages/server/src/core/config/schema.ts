import { auditSettings } from './audit-settings.ts';
import { browserSettings } from './browser-settings.ts';
import { externalJwtSettings } from './external-jwt-settings.ts';
import { operationsSettings } from './operations-settings.ts';
import { servingSettings } from './serving-settings.ts';
import { setting } from './setting.ts';
import { signInSettings } from './sign-in-settings.ts';
import { storeSettings } from './store-settings.ts';
import { oneOf } from './values.ts';

/**
 * All settings, in the order of the documentation. The parser, the type `Settings` and `docs/configuration.md` come
 * from this table.
 */
export const settingsTable = {
  ...servingSettings,
  ...browserSettings,
  ...storeSettings,
  ...signInSettings,
  ...externalJwtSettings,
  ...operationsSettings,
  ...auditSettings,
  /** Lowest severity that is logged. */
  logLevel: setting({
    key: 'log.level',
    env: 'EDGE_LOG_LEVEL',
    isLive: true,
    default: 'info',
    ...oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
    description: 'Lowest severity that is logged.',
  }),
};

/** The checked settings of a controller. Settings that were not given have their defaults. */
export type Settings = { readonly [Name in keyof typeof settingsTable]: (typeof settingsTable)[Name]['default'] };
