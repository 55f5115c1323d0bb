import type { Settings } from './schema.ts';
import { settingsTable } from './schema.ts';
import type { Setting } from './setting.ts';

/** The settings that are no secrets, by their keys in the settings file. Of a secret: whether it is set. */
export function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries<Setting<unknown>>(settingsTable).map(([name, { key, secret }]) => {
      const value = settings[name as keyof Settings];
      return [key, secret ? (value === null ? null : 'set') : value];
    }),
  );
}
