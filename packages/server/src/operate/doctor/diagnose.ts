import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LoadOptions } from '../../core/config/load.ts';
import { ConfigError, loadSettings, secretPaths, sourceOf, unknownVariables } from '../../core/config/load.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { Clock } from '../../core/time/clock.ts';
import { checks } from './checks/index.ts';
import type { DoctorFinding } from './finding.ts';
import { unusable } from './finding.ts';

/** Something that is wrong, and what to do. */
export interface Diagnosed {
  /** The name of the check. */
  readonly check: string;
  readonly severity: DoctorFinding['severity'];
  /** Without secrets. */
  readonly message: string;
  /** Where the setting was set that leads to it. `null`: no single one. */
  readonly setIn: string | null;
  readonly fix: string;
  readonly kind: DoctorFinding['kind'];
}

/** What was checked, and what was found. */
export interface Diagnosis {
  readonly checks: readonly string[];
  readonly findings: readonly Diagnosed[];
}

/**
 * Looks for everything that is wrong with an installation, and changes nothing. A controller may run meanwhile. When the settings
 * are not valid, the other checks are left out: they need them.
 */
export async function diagnose({ clock, ...options }: LoadOptions & { readonly clock: Clock }): Promise<Diagnosis> {
  const ofSettings = [...variableFindings(options), ...secretFileFindings(options)];
  let settings: Settings;
  try {
    settings = loadSettings(options);
  } catch (error) {
    return { checks: ['settings'], findings: [...ofSettings, ...settingFindings(error)] };
  }
  const installation = { settings, dataDir: resolve(settings.dataDir), clock };
  const findings = [...ofSettings];
  for (const [name, check] of Object.entries(checks)) {
    const found = await check(installation).catch((error: unknown) => [unexpected(name, error)]);
    findings.push(...found.map((finding) => located(name, finding, options)));
  }
  return { checks: Object.keys(checks), findings };
}

function located(check: string, { setting, ...finding }: DoctorFinding, options: LoadOptions): Diagnosed {
  return { check, ...finding, setIn: setting === null ? null : sourceOf(setting, options) };
}

/** One check that fails leaves the others as they are. */
function unexpected(name: string, error: unknown): DoctorFinding {
  const reason = error instanceof Error ? error.message : String(error);
  return unusable(`The check "${name}" failed: ${reason}`, null, 'report it: a check should say what it has found');
}

function settingFindings(error: unknown): readonly Diagnosed[] {
  if (!(error instanceof ConfigError)) throw error;
  return error.problems.map(({ setting, got, expected, source, fix }) => ({
    ...{ check: 'settings', severity: 'error', kind: 'wrong' },
    ...{ message: `${setting}: got ${got}, expected ${expected}`, setIn: source, fix },
  }));
}

/** A misspelt variable has no effect, and no other command says so. */
function variableFindings(options: LoadOptions): readonly Diagnosed[] {
  return unknownVariables(options).map(({ name, similar }) => ({
    ...{ check: 'settings', severity: 'warning', kind: 'wrong', setIn: 'environment' },
    message: `${name} is no setting`,
    fix: similar === null ? `remove ${name}` : `write ${similar} instead of ${name}, or remove it`,
  }));
}

function secretFileFindings(options: LoadOptions): readonly Diagnosed[] {
  // Windows has no modes.
  if (process.platform === 'win32') return [];
  const exposed = secretPaths(options).filter(
    ({ path }) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0,
  );
  return exposed.map(({ path, setIn }) => ({
    ...{ check: 'settings', severity: 'warning', kind: 'wrong', setIn },
    ...{ message: `Other users can read or write ${path}, which has a secret`, fix: `chmod 600 ${path}` },
  }));
}
