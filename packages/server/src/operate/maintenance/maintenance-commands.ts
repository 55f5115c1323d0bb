import { once } from 'node:events';
import type { Verification } from '../../audit/verify-log.ts';
import type { CommandLine } from '../../core/config/command-line.ts';
import type { Settings } from '../../core/config/schema.ts';
import { exit } from '../../core/start/exit-codes.ts';
import { shownText } from '../../core/text/shown-text.ts';
import { systemClock } from '../../core/time/clock.ts';
import { build } from '../../documents/info/version.ts';
import type { SchemaStatus } from '../../storage/entity-store/migrations/applied-changes.ts';
import type { Installed } from '../backup/restore.ts';
import type { Diagnosed } from '../doctor/diagnose.ts';

const print = (line: string) => void process.stdout.write(`${shownText(line)}\n`);
const printError = (line: string) => void process.stderr.write(`${shownText(line)}\n`);

type Command = (settings: Settings, given: CommandLine) => Promise<number>;

/** The commands that need no controller. What each needs is imported when it runs. */
export const maintenanceCommands: Readonly<Record<string, Command>> = {
  async backup(settings, { path }) {
    const { backup } = await import('../backup/backup.ts');
    const { files } = await backup(settings, { to: path, clock: systemClock, controller: build.version });
    print(`Backed up to ${path}: ${Object.keys(files).join(', ')}`);
    if (settings.sealKey !== null) printError('Keep EDGE_SEAL_KEY, too: it is a setting, and not in the backup.');
    return exit.ok;
  },

  async restore(settings, { path, switches }) {
    const { restore } = await import('../backup/restore.ts');
    const options = { from: path, replaces: switches.has('replace'), clock: systemClock };
    reportInstalled('Restored the backup', await restore(settings, options));
    return exit.ok;
  },

  async export(settings, { path }) {
    const { exportEntities } = await import('../backup/export.ts');
    const rows = await exportEntities(settings, { to: path, clock: systemClock, controller: build.version });
    print(`Exported ${rows} rows to ${path}. It has secrets: keep it like a key.`);
    return exit.ok;
  },

  async import(settings, { path, switches }) {
    const { importEntities } = await import('../backup/import.ts');
    const options = { from: path, replaces: switches.has('replace'), clock: systemClock };
    reportInstalled('Imported the export', await importEntities(settings, options));
    return exit.ok;
  },

  async migrate(settings) {
    const { migrateEntities } = await import('./schema-status.ts');
    await migrateEntities(settings, systemClock);
    print('The schema is up to date.');
    return exit.ok;
  },

  async 'migrate status'(settings, { switches }) {
    const { readStatus } = await import('./schema-status.ts');
    const status = await readStatus(settings, systemClock);
    if (switches.has('json')) print(JSON.stringify(status, null, 2));
    else reportStatus(status);
    return status.unknown.length > 0 ? exit.unreachable : exit.ok;
  },

  async 'audit verify'(settings) {
    const { verifyAuditLog } = await import('./audit-commands.ts');
    const verification = await verifyAuditLog(settings);
    reportVerification(verification);
    return verification.findings.length === 0 ? exit.ok : exit.tampered;
  },

  async 'audit export'(settings) {
    const { exportAuditLog } = await import('./audit-commands.ts');
    for await (const entries of exportAuditLog(settings)) {
      const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
      if (!process.stdout.write(shownText(text))) await once(process.stdout, 'drain');
    }
    return exit.ok;
  },
};

function reportVerification({ entries, first, last, checkpoints, findings, notes }: Verification): void {
  for (const note of notes) printError(`Note: ${note}.`);
  for (const { sequence, problem } of findings) print(`Entry ${sequence} ${problem}.`);
  const range = entries === 0 ? 'The audit log is empty' : `${entries} entries, from ${first} to ${last}`;
  print(`${range}; ${checkpoints} signed checkpoints agree with them.`);
  print(findings.length === 0 ? 'The audit log is intact.' : 'The audit log is NOT intact.');
}

function reportStatus(status: SchemaStatus): void {
  const { applied, missing, unknown } = status;
  for (const [state, names] of Object.entries(status)) for (const name of names) print(`${state.padEnd(8)} ${name}`);
  print(`${applied.length} applied, ${missing.length} missing, ${unknown.length} unknown`);
  if (missing.length > 0) print('The next start applies those that are missing, and so does edge-controller migrate.');
  if (unknown.length > 0) print('A newer version of the controller has changed the database: use that version.');
}

/** Runs without valid settings, because it says what is wrong with them. */
export async function doctor({ flags, switches }: CommandLine): Promise<number> {
  const { diagnose } = await import('../doctor/diagnose.ts');
  const { checks, findings } = await diagnose({ flags, clock: systemClock });
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (switches.has('json')) print(JSON.stringify({ healthy: errors.length === 0, checks, findings }, null, 2));
  else reportFindings(checks, findings);
  if (errors.length === 0) return exit.ok;
  return errors.some(({ kind }) => kind === 'wrong') ? exit.usage : exit.unreachable;
}

function reportFindings(checks: readonly string[], findings: readonly Diagnosed[]): void {
  for (const name of checks) {
    const found = findings.filter(({ check }) => check === name);
    print(`${found.length === 0 ? 'ok      ' : 'look at '} ${name}`);
    for (const { severity, message, setIn, fix } of found) {
      print(`  ${severity}: ${message}`);
      if (setIn !== null) print(`    set in: ${setIn}`);
      print(`    to fix: ${fix}`);
    }
  }
  if (!checks.includes('ports')) print('The other checks need valid settings.');
  else
    print('Note: passwords are stored as hashes. Nobody can say which of them are common; only new ones are checked.');
}

function reportInstalled(done: string, { createdAt, controller, replaced, warnings }: Installed): void {
  print(`${done} of ${createdAt}, made by ${controller}. All API sessions have ended.`);
  if (replaced !== null) print(`What was there before is in ${replaced}`);
  for (const warning of warnings) printError(`Warning: ${warning}`);
}
