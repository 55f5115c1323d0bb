import { once } from 'node:events';
import { readCommandLine, UsageError } from './config/command-line.ts';
import { ConfigError, flagOf, loadSettings, sourceOf } from './config/load.ts';
import type { Settings } from './config/schema.ts';
import { settingsTable } from './config/schema.ts';
import type { Setting } from './config/setting.ts';
import type { Controller } from './controller.ts';
import { build } from './info/version.ts';
import { saveCompileCache, useCompileCache } from './lib/compile-cache.ts';
import type { Logger } from './lib/log.ts';
import { StartError } from './lib/start-error.ts';

/** Exit codes of the executable. */
const exit = { ok: 0, unexpected: 1, usage: 2, unreachable: 3, fault: 4, tampered: 5 } as const;

const usage = `Usage: edge-controller [command] [flags]

Commands
  run                    serve until SIGTERM or SIGINT (default)
  init                   create the data directory and the default administrator, then stop
  config check           check the settings and stop
  admin reset-password   give the default administrator a new password and remove the second factor
  audit verify           verify the audit log: whether an entry was changed, removed or inserted
  audit export           print the audit log as JSON, one entry a line

Flags
  --config FILE          settings file (YAML); also EDGE_CONFIG
${Object.values<Setting<unknown>>(settingsTable)
  .filter(({ secret }) => !secret)
  .map(
    (setting) =>
      `  --${flagOf(setting).padEnd(20)} ${setting.description.split('. ', 1)[0]?.replace(/\.$/, '')}; also ${setting.env}`,
  )
  .join('\n')}
  --help, --version

Secrets have no flags. Set them in the environment (EDGE_ADMIN_PASSWORD), in the settings file, or in a file of
their own (EDGE_ADMIN_PASSWORD_FILE).
Exit codes: 0 done, 1 unexpected failure, 2 wrong settings, keys or usage, 3 the data directory, a store or the
address cannot be used, 4 an unhandled error while it ran (start it again), 5 the audit log is not intact.
`;

const print = (line: string) => void process.stdout.write(`${line}\n`);
const printError = (line: string) => void process.stderr.write(`${line}\n`);

const commands: Readonly<Record<string, (settings: Settings) => Promise<number>>> = {
  run,
  init,
  'config check': async () => {
    print('The settings are valid.');
    return exit.ok;
  },
  'admin reset-password': resetPassword,
  'audit verify': verifyAudit,
  'audit export': exportAudit,
};

/** Imports the controller after the compile cache is on. Commands that need no controller load neither. */
async function openController(settings: Settings, { serves }: { serves: boolean }): Promise<Controller> {
  useCompileCache(settings.dataDir);
  const [{ createController }, { createLogger }] = await Promise.all([
    import('./controller.ts'),
    import('./create-logger.ts'),
  ]);
  const log = createLogger({ level: settings.logLevel });
  exitOnFault(log);
  return createController({ ...settings, log, serves });
}

/**
 * Ends the process on an error that nothing handled, because its state is unknown then. A supervisor starts it again. The
 * log gets no other members of the error, because they may hold data. It is written when the process exits.
 */
function exitOnFault(log: Logger): void {
  const end = (reason: unknown) => {
    try {
      const error: NodeJS.ErrnoException =
        reason instanceof Error ? reason : new Error(`not an error: ${typeof reason}`);
      const { code, message, stack } = error;
      log.fatal({ err: Object.assign(new Error(message), { code, stack }) }, 'unhandled error: the controller ends');
    } finally {
      process.exit(exit.fault);
    }
  };
  process.on('uncaughtException', end).on('unhandledRejection', end);
}

async function run(settings: Settings): Promise<number> {
  if (settings.databaseUrl !== null && settings.redisUrl === null) {
    printError('Warning: EDGE_DATABASE_URL without EDGE_REDIS_URL: run only one controller with this database.');
    printError('  Each controller keeps its API sessions in its own file and does not see the changes of another.');
  }
  if (settings.sessionTimeout < 60_000) {
    printError(`Warning: API sessions end after ${settings.sessionTimeout / 1_000} s without use. Use 1m or more.`);
  }
  const controller = await openController(settings, { serves: true });
  const stopped = Promise.withResolvers<void>();
  // Not `once`: a terminal and a launcher may both send the signal. Without a listener, the second would end the drain.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve());
  try {
    printCreatedAdmin(controller);
    const { url } = await controller.listen();
    print(`CA certificate for clients: ${controller.caFile}`);
    print(`Edge controller ${build.version} listening on ${url}`);
    setImmediate(saveCompileCache);
    await stopped.promise;
  } finally {
    await controller.close();
  }
  return exit.ok;
}

async function init(settings: Settings): Promise<number> {
  const controller = await openController(settings, { serves: true });
  // Before anything can fail: a generated password is shown only once.
  printCreatedAdmin(controller);
  await controller.close();
  if (!controller.admin.created) {
    printError(`Already initialized: the default administrator "${controller.admin.username}" exists.`);
    return exit.usage;
  }
  print(`Initialized ${settings.dataDir}`);
  return exit.ok;
}

async function resetPassword(settings: Settings): Promise<number> {
  const controller = await openController(settings, { serves: false });
  try {
    const admin = await controller.resetAdminPassword();
    print(`"${admin.username}" has a new password. Its API sessions have ended.`);
    printTakenUsername(admin);
    if (admin.allowedPasswords)
      print('The auth policy "default" forbade passwords; it allows them again, for all identities that have it.');
    if (admin.generatedPassword) print(`New password, shown only now: ${admin.generatedPassword}`);
  } finally {
    await controller.close();
  }
  return exit.ok;
}

async function verifyAudit(settings: Settings): Promise<number> {
  const { verifyAuditLog } = await import('./audit-commands.ts');
  const { entries, first, last, checkpoints, findings, notes } = await verifyAuditLog(settings);
  for (const note of notes) printError(`Note: ${note}.`);
  for (const { sequence, problem } of findings) print(`Entry ${sequence} ${problem}.`);
  const range = entries === 0 ? 'The audit log is empty' : `${entries} entries, from ${first} to ${last}`;
  print(`${range}; ${checkpoints} signed checkpoints agree with them.`);
  print(findings.length === 0 ? 'The audit log is intact.' : 'The audit log is NOT intact.');
  return findings.length === 0 ? exit.ok : exit.tampered;
}

async function exportAudit(settings: Settings): Promise<number> {
  const { exportAuditLog } = await import('./audit-commands.ts');
  for await (const entries of exportAuditLog(settings)) {
    const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  }
  return exit.ok;
}

function printCreatedAdmin({ admin }: Controller): void {
  if (!admin.created) return;
  print(`Created the default administrator "${admin.username}"`);
  printTakenUsername(admin);
  if (admin.generatedPassword) print(`Password, shown only now: ${admin.generatedPassword}`);
}

function printTakenUsername({ username, takenUsername }: Controller['admin']): void {
  if (takenUsername === null) return;
  print(`Another identity has the user name "${takenUsername}". The default administrator signs in as "${username}".`);
}

async function main(args: readonly string[]): Promise<number> {
  const { command, wants, flags } = readCommandLine(args);
  if (wants.has('help')) {
    print(usage);
    return exit.ok;
  }
  if (wants.has('version')) {
    print(build.version);
    return exit.ok;
  }
  // The settings come first: a word after an unknown flag is probably its value. Then the flag is the error to report.
  const settings = loadSettings({ flags });
  const start = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!start) throw new UsageError(`unknown command "${command}"`);
  return start(settings);
}

function reportFailure(error: unknown): number {
  if (error instanceof ConfigError) {
    printError(`The settings cannot be used:\n${error.message}`);
    return exit.usage;
  }
  if (error instanceof StartError) return reportStartError(error);
  if (error instanceof UsageError) {
    printError(`${error.message}\nSee edge-controller --help`);
    return exit.usage;
  }
  const { syscall, message, code, cause } = error as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') {
    printError(
      `Cannot listen: ${message}\n  to fix: free the address, or set EDGE_HOST and EDGE_PORT (0: any free port)`,
    );
    return exit.unreachable;
  }
  if (code === 'STORE_UNAVAILABLE') {
    const reason = cause instanceof Error ? `: ${cause.message}` : '';
    printError(`${message}${reason}\n  to fix: start the store, or correct EDGE_DATABASE_URL or EDGE_REDIS_URL`);
    return exit.unreachable;
  }
  printError(`Unexpected failure: ${error instanceof Error ? error.stack : String(error)}`);
  return exit.unexpected;
}

function reportStartError({ problems }: StartError): number {
  const { flags } = readCommandLine(process.argv.slice(2));
  for (const { message, setting, fix } of problems) {
    printError(message);
    if (setting) printError(`  set in: ${sourceOf(setting, { flags })}`);
    printError(`  to fix: ${fix}`);
  }
  return problems.some(({ kind }) => kind === 'wrong') ? exit.usage : exit.unreachable;
}

process.exitCode = await main(process.argv.slice(2)).catch(reportFailure);
