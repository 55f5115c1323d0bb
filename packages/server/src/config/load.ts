import { readFileSync } from 'node:fs';
import type { Setting, Settings } from './schema.ts';
import { settingsTable } from './schema.ts';
import { readSettingsFile, unknownKeys } from './settings-file.ts';

const table = Object.entries<Setting<unknown>>(settingsTable);

/** One thing wrong with the settings. */
export interface Problem {
  /** Key in the file, or the environment name or flag that was used. */
  readonly setting: string;
  readonly got: string;
  readonly expected: string;
  /** Where the value came from. */
  readonly source: string;
  readonly fix: string;
}

/** All problems of the settings at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(
      problems
        .map((p) => `${p.setting}: got ${p.got}, expected ${p.expected}\n  set in: ${p.source}\n  to mend: ${p.fix}`)
        .join('\n'),
    );
    this.problems = problems;
  }
}

export interface LoadOptions {
  /** Flags as `name → value`: `{port: '1280', config: 'edge.yaml'}`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Flag of a setting: `EDGE_SESSION_TIMEOUT` → `session-timeout`. */
export function flagOf(setting: Pick<Setting<unknown>, 'env'>): string {
  return setting.env
    .replace(/^EDGE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

/** Names of the flags that take a value; a secret has no flag. */
export function settingFlags(): string[] {
  return ['config', ...table.flatMap(([, setting]) => (setting.secret ? [] : [flagOf(setting)]))];
}

/** Flags as `name → value`, and the environment. */
type Texts = Readonly<Record<string, string | undefined>>;

/** The settings that are not given, as the table has them. */
export function defaultSettings(): Settings {
  return settingsOf(table.map(([name, { default: value }]) => [name, value]));
}

/**
 * Reads file (`--config`, `EDGE_CONFIG`), environment and flags; the later wins.
 *
 * @throws ConfigError with every problem at once
 */
export function loadSettings({ flags = {}, env = process.env }: LoadOptions = {}): Settings {
  const problems: Problem[] = [];
  const file = readFile(flags.config ?? env.EDGE_CONFIG, problems);
  reportUnknown(flags, file, problems);
  const given = table.flatMap(([name, setting]): [string, unknown][] => {
    const found = find(setting, flags, env, file, problems);
    if (!found) return [];
    const { success, data } = setting.schema.safeParse(found.raw);
    if (success) return [[name, data]];
    problems.push(refused(setting, found));
    return [];
  });
  if (problems.length > 0) throw new ConfigError(problems);
  return { ...defaultSettings(), ...settingsOf(given) };
}

/** What the schemas and defaults of the table gave is typed as the table says; `fromEntries` cannot know. */
function settingsOf(entries: readonly (readonly [string, unknown])[]): Settings {
  return Object.fromEntries(entries) as unknown as Settings;
}

interface Found {
  readonly raw: unknown;
  readonly setting: string;
  readonly source: string;
}

interface SettingsFile {
  readonly path: string;
  readonly values: ReadonlyMap<string, unknown>;
}

function find(
  setting: Setting<unknown>,
  flags: Texts,
  env: Texts,
  file: SettingsFile,
  problems: Problem[],
): Found | null {
  const flag = flags[flagOf(setting)];
  if (flag !== undefined && !setting.secret) {
    return { raw: flag, setting: `--${flagOf(setting)}`, source: 'command line' };
  }
  const direct = env[setting.env];
  const secretFile = setting.secret ? env[`${setting.env}_FILE`] : undefined;
  if (direct && secretFile) {
    problems.push({
      setting: setting.env,
      got: `both ${setting.env} and ${setting.env}_FILE`,
      expected: 'one of them',
      source: 'environment',
      fix: 'remove one of the two variables',
    });
    return null;
  }
  if (secretFile) return readSecret(setting, secretFile, problems);
  if (direct) return { raw: direct, setting: setting.env, source: 'environment' };
  if (!file.values.has(setting.key)) return null;
  return { raw: file.values.get(setting.key), setting: setting.key, source: file.path };
}

function readSecret(setting: Setting<unknown>, path: string, problems: Problem[]): Found | null {
  try {
    return { raw: readFileSync(path, 'utf8').trim(), setting: `${setting.env}_FILE`, source: path };
  } catch (error) {
    problems.push({
      setting: `${setting.env}_FILE`,
      got: path,
      expected: 'a file that can be read',
      source: 'environment',
      fix: `make the file readable (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    });
    return null;
  }
}

function refused(setting: Setting<unknown>, { raw, setting: name, source }: Found): Problem {
  const shown = setting.secret ? '(a secret, not shown)' : (JSON.stringify(raw)?.slice(0, 200) ?? 'nothing');
  return {
    setting: name,
    got: shown,
    expected: setting.expected,
    source,
    fix: `set ${setting.env}, or ${setting.key} in the settings file, to ${setting.expected}`,
  };
}

function readFile(path: string | undefined, problems: Problem[]): SettingsFile {
  if (!path) return { path: '', values: new Map() };
  try {
    return { path, values: readSettingsFile(path) };
  } catch (error) {
    problems.push({
      setting: 'config',
      got: path,
      expected: 'a YAML file that can be read',
      source: '--config or EDGE_CONFIG',
      fix: error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error),
    });
    return { path, values: new Map() };
  }
}

function reportUnknown(flags: Texts, file: SettingsFile, problems: Problem[]): void {
  const known = settingFlags();
  for (const flag of Object.keys(flags).filter((name) => !known.includes(name))) {
    problems.push({
      setting: `--${flag}`,
      got: 'an unknown flag',
      expected: 'a flag of this command',
      source: 'command line',
      fix: 'see --help; secrets are taken from the environment or from a file only',
    });
  }
  for (const key of unknownKeys(file.values)) {
    problems.push({
      setting: key,
      got: 'an unknown key',
      expected: 'a key of docs/configuration.md',
      source: file.path,
      fix: 'remove the key or correct its spelling',
    });
  }
}
