import { isDeepStrictEqual } from 'node:util';
import type { Settings } from './schema.ts';
import { settingsTable } from './schema.ts';
import type { Setting } from './setting.ts';

/** A setting that has got another value. */
export interface ChangedSetting {
  /** Its key in the settings file. */
  readonly setting: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** What becomes of new settings while the controller runs. */
export interface SettingsChange {
  /** Settings that have the new value now. None of them is a secret. */
  readonly changed: readonly ChangedSetting[];
  /** Keys of settings whose new value counts from the next start. */
  readonly needRestart: readonly string[];
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Gives running settings new values, as far as the controller can take them without a restart. All others stay as they are. */
export function changeSettings(running: Writable<Settings>, next: Partial<Settings>): SettingsChange {
  const changed: ChangedSetting[] = [];
  const needRestart: string[] = [];
  for (const [name, setting] of Object.entries<Setting<unknown>>(settingsTable)) {
    const key = name as keyof Settings;
    if (!(key in next) || isDeepStrictEqual(next[key], running[key])) continue;
    if (setting.isLive) {
      changed.push({ setting: setting.key, from: running[key], to: next[key] });
      Object.assign(running, { [key]: next[key] });
    } else {
      needRestart.push(setting.key);
    }
  }
  return { changed, needRestart };
}
