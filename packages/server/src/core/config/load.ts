import { readFileSync } from 'node:fs';
import { plainTransports } from './plain-transports.ts';
import type { Settings } from './schema.ts';
import { settingsTable } from './schema.ts';
import type { Setting } from './setting.ts';
import { readSettingsFile, unknownKeys } from './settings-file.ts';

const table = Object.entries<Setting<unknown>>(settingsTable);

/** One problem of the settings. */
export interface SettingProblem {
  /** The flag, environment variable or key that has the problem. */
  readonly setting: string;
  readonly got: string;
  readonly expected: string;
  /** Where the value comes from: the command line, the environment or the path of a file. */
  readonly source: string;
  readonly fix: string;
}

/** The settings are not valid. `problems` has all problems, and the message lists them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly SettingProblem[];

  constructor(problems: readonly SettingProblem[]) {
    super(
      problems
        .map((p) => `${p.setting}: got ${p.got}, expected ${p.expected}\n  set in: ${p.source}\n  to fix: ${p.fix}`)
        .join('\n'),
    );
    this.problems = problems;
  }
}

/** Where `loadSettings` reads settings from, besides the settings file. */
export interface LoadOptions {
  /** Flags as `name → value`: `{port: '1280', config: 'edge.yaml'}`. */
  readonly flags?: Readonly<Record<string, string>>;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Returns the flag of a setting: `EDGE_SESSION_TIMEOUT` → `session-timeout`. */
export function flagOf(setting: Pick<Setting<unknown>, 'env'>): string {
  return setting.env
    .replace(/^EDGE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
}

/** Returns the names of all flags that have a value. Secrets have no flags. */
export function settingFlags(): string[] {
  return ['config', ...table.flatMap(([, setting]) => (setting.secret ? [] : [flagOf(setting)]))];
}

/** The flags or the environment, as `name → value`. */
type Texts = Readonly<Record<string, string | undefined>>;

/** Returns the default values of all settings. */
export function defaultSettings(): Settings {
  return settingsOf(table.map(([name, { default: value }]) => [name, value]));
}

/**
 * Reads the settings. A flag overrides the environment. The environment overrides the settings file (`--config` or
 * `EDGE_CONFIG`). The file overrides the defaults.
 *
 * @throws ConfigError with all problems
 */
export function loadSettings({ flags = {}, env = process.env }: LoadOptions = {}): Settings {
  const problems: SettingProblem[] = [];
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
  const settings = { ...defaultSettings(), ...settingsOf(given) };
  requireStrictTransport(settings, (name) => sourceOf(name, { flags, env }));
  return settings;
}

/**
 * @param source says where the value of a setting comes from
 * @throws ConfigError when the settings require TLS and do not use it
 */
export function requireStrictTransport(settings: Settings, source: (name: keyof Settings) => string): void {
  const plain = settings.strictTransport ? plainTransports(settings) : [];
  if (plain.length === 0) return;
  const expected = 'TLS, because edge.strictTransport is set';
  throw new ConfigError(
    plain.map(({ setting, message, fix }) => {
      return { setting: settingsTable[setting].env, got: message, expected, source: source(setting), fix };
    }),
  );
}

/** Says where the value of a setting comes from: `EDGE_DATA_DIR, environment`. */
export function sourceOf(name: keyof Settings, { flags = {}, env = process.env }: LoadOptions = {}): string {
  const setting: Setting<unknown> = settingsTable[name];
  const found = find(setting, flags, env, readFile(flags.config ?? env.EDGE_CONFIG, []), []);
  return found ? `${found.setting}, ${found.source}` : `nowhere: it is the default of ${setting.env}`;
}

/** The cast is needed because `fromEntries` loses the types that the table has. */
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
  problems: SettingProblem[],
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

function readSecret(setting: Setting<unknown>, path: string, problems: SettingProblem[]): Found | null {
  try {
    return { raw: readFileSync(path, 'utf8').trim(), setting: `${setting.env}_FILE`, source: path };
  } catch (error) {
    problems.push({
      setting: `${setting.env}_FILE`,
      got: path,
      expected: 'a file that can be read',
      source: 'environment',
      fix: `make this file readable (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})`,
    });
    return null;
  }
}

function refused(setting: Setting<unknown>, { raw, setting: name, source }: Found): SettingProblem {
  const shown = setting.secret ? '(a secret, not shown)' : (JSON.stringify(raw)?.slice(0, 200) ?? 'nothing');
  return {
    setting: name,
    got: shown,
    expected: setting.expected,
    source,
    fix: `set ${setting.env}, or ${setting.key} in the settings file, to ${setting.expected}`,
  };
}

function readFile(path: string | undefined, problems: SettingProblem[]): SettingsFile {
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

function reportUnknown(flags: Texts, file: SettingsFile, problems: SettingProblem[]): void {
  const known = settingFlags();
  for (const flag of Object.keys(flags).filter((name) => !known.includes(name))) {
    problems.push({
      setting: `--${flag}`,
      got: 'an unknown flag',
      expected: 'a known flag',
      source: 'command line',
      fix: 'use a flag that --help lists; secrets have no flags',
    });
  }
  for (const key of unknownKeys(file.values)) {
    problems.push({
      setting: key,
      got: 'an unknown key',
      expected: 'a key from docs/configuration.md',
      source: file.path,
      fix: 'remove the key or correct its spelling',
    });
  }
}

/** Variables whose names begin like settings but name no setting, each with the most similar setting. */
export function unknownVariables({ env = process.env }: LoadOptions = {}): readonly {
  readonly name: string;
  readonly similar: string | null;
}[] {
  const known = table.flatMap(([, { env: name, secret }]) => (secret ? [name, `${name}_FILE`] : [name]));
  return Object.keys(env)
    .filter((name) => name.startsWith('EDGE_') && name !== 'EDGE_CONFIG' && !known.includes(name))
    .map((name) => ({ name, similar: mostSimilar(name, known) }));
}

/** The files that have secrets, by the settings that are in use. */
export function secretPaths({ flags = {}, env = process.env }: LoadOptions = {}): readonly {
  readonly path: string;
  readonly setIn: string;
}[] {
  const path = flags.config ?? env.EDGE_CONFIG;
  const { values } = readFile(path, []);
  const secrets = table.filter(([, { secret }]) => secret);
  const hasSecret = secrets.some(([, { key }]) => values.has(key));
  const files = secrets.flatMap(([, { env: name }]) => {
    const secretFile = env[`${name}_FILE`];
    return secretFile ? [{ path: secretFile, setIn: `${name}_FILE, environment` }] : [];
  });
  return path && hasSecret ? [{ path, setIn: '--config or EDGE_CONFIG' }, ...files] : files;
}

function mostSimilar(name: string, known: readonly string[]): string | null {
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(name, candidate) }))
    .sort((one, other) => one.distance - other.distance);
  return best && best.distance <= 3 ? best.candidate : null;
}

/** How many letters must be added, removed or replaced (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...one].entries()) {
    const next = [index + 1];
    for (const [at, otherLetter] of [...other].entries()) {
      const replaced = (row[at] ?? 0) + Number(letter !== otherLetter);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
