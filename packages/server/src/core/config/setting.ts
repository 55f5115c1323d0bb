import type { SettingValue } from './values.ts';

/** One setting: its names, its default, its parser and its documentation. */
export interface Setting<T> extends SettingValue<T> {
  /** Dotted key in the YAML file. */
  readonly key: string;
  readonly env: string;
  /** True for a secret. It is never shown and has no flag. `<env>_FILE` may have the path of a file with the value. */
  readonly secret?: true;
  /** True when a running controller takes another value. It must be read each time that it counts. Never of a secret. */
  readonly isLive?: true;
  readonly default: T;
  readonly description: string;
}

/** The comment of a setting is the documentation of the same member of `Settings`. */
export const setting = <T>(given: Setting<T>): Setting<T> => given;

/** Milliseconds. */
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
