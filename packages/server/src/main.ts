import { setImmediate } from 'node:timers';
import type { Controller } from './controller.ts';
import type { CommandLine } from './core/config/command-line.ts';
import { readCommandLine, UsageError } from './core/config/command-line.ts';
import { ConfigError, flagOf, loadSettings, sourceOf } from './core/config/load.ts';
import type { Settings } from './core/config/schema.ts';
import { settingsTable } from './core/config/schema.ts';
import type { Setting } from './core/config/setting.ts';
import type { Logger } from './core/log/log.ts';
import { saveCompileCache, useCompileCache } from './core/start/compile-cache.ts';
import { exit } from './core/start/exit-codes.ts';
import { StartError } from './core/start/start-error.ts';
import { shownText } from './core/text/shown-text.ts';
import { formatDuration } from './core/time/duration.ts';
import { build } from './documents/info/version.ts';
import { doctor, maintenanceCommands } from './operate/maintenance/maintenance-commands.ts';

const usage = `Usage: edge-controller [command] [flags]

Commands
  run                    serve until SIGTERM or SIGINT (default); SIGHUP reads the settings again
  init                   create the data directory and the default administrator, then stop
  config check           check the settings and stop
  admin reset-password   give the default administrator a new password and remove the second factor
  backup PATH            copy entities, PKI and seal key into a new directory, also while controllers run
  restore PATH           put a backup in place while no controller runs; all API sessions end
  export FILE            write all entities into a new file of JSON lines, also while controllers run
  import FILE            read such a file into an empty database while no controller runs; all API sessions end
  migrate                bring the schema of the database up to date, as a start does
  migrate status         say which migrations the database has; --json prints them as JSON
  doctor                 look for what is wrong, and say what to do; --json prints it as JSON
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
  --replace              restore and import: replace what is there. The files that were there are kept aside
  --help, --version

Secrets have no flags. Set them in the environment (EDGE_ADMIN_PASSWORD), in the settings file, or in a file of
their own (EDGE_ADMIN_PASSWORD_FILE).
Exit codes: 0 done, 1 unexpected failure, 2 wrong settings, keys or usage, 3 the data directory, a store or the
address cannot be used, 4 an unhandled error while it ran (start it again), 5 the audit log is not intact.
`;

const print = (line: string) => void process.stdout.write(`${shownText(line)}\n`);
const printError = (line: string) => void process.stderr.write(`${shownText(line)}\n`);

type Flags = CommandLine['flags'];
type Command = (settings: Settings, given: CommandLine) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  ...maintenanceCommands,
  run,
  init,
  'config check': async () => {
    print('The settings are valid.');
    return exit.ok;
  },
  'admin reset-password': resetPassword,
};

/** Imports the controller after the compile cache is on. Commands that need no controller load neither. */
async function openController(
  settings: Settings,
  { serves }: { serves: boolean },
): Promise<{ controller: Controller; log: Logger }> {
  useCompileCache(settings.dataDir);
  const [{ createController }, { createLogger }] = await Promise.all([
    import('./controller.ts'),
    import('./core/log/create-logger.ts'),
  ]);
  const log = createLogger({ level: settings.logLevel });
  exitOnFault(log);
  return { controller: await createController({ ...settings, log, serves }), log };
}

/**
 * Ends the process on an error that nothing handled, because its state is unknown then. A supervisor starts it again. The
 * log gets no other members of the error, because they may contain data. It is written when the process exits.
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

async function run(settings: Settings, { flags }: CommandLine): Promise<number> {
  if (settings.databaseUrl !== null && settings.redisUrl === null) {
    printError('Warning: EDGE_DATABASE_URL without EDGE_REDIS_URL: run only one controller with this database.');
    printError('  Each controller keeps its API sessions in its own file and does not see the changes of another.');
  }
  if (settings.sessionTimeout < 60_000) {
    printError(`Warning: API sessions end after ${settings.sessionTimeout / 1_000} s without use. Use 1m or more.`);
  }
  const { controller, log } = await openController(settings, { serves: true });
  const stopped = Promise.withResolvers<void>();
  // Not `once`: a terminal and a launcher may both send the signal. Without a listener, the second would end the drain.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopped.resolve());
  let reloading = Promise.resolve();
  process.on('SIGHUP', () => {
    if (isInTerminal()) stopped.resolve();
    else reloading = reloading.then(() => reload(controller, { flags, log }));
  });
  try {
    printCreatedAdmin(controller);
    const { url, browserPort, operationsPort } = await controller.listen();
    print(`CA certificate for clients: ${controller.caFile}`);
    if (browserPort !== null) print(`Browsers on port ${browserPort}`);
    if (operationsPort !== null) print(`Metrics and health on port ${operationsPort}`);
    print(`Edge controller ${build.version} listening on ${url}`);
    setImmediate(saveCompileCache);
    await stopped.promise;
  } finally {
    await controller.close();
  }
  return exit.ok;
}

/** The executable serves the web console, unless a setting says that it does not. */
function readSettings(flags: Flags): Settings {
  const settings = loadSettings({ flags });
  return { ...settings, consoleEnabled: settings.consoleEnabled ?? true };
}

/** There, SIGHUP says that the terminal was closed. */
function isInTerminal(): boolean {
  return process.stdin.isTTY || process.stdout.isTTY;
}

/** Reads the settings again. When they have problems, nothing changes. Never rejects: the controller goes on. */
async function reload(controller: Controller, { flags, log }: { flags: Flags; log: Logger }): Promise<void> {
  try {
    await controller.reload(readSettings(flags));
  } catch (error) {
    const reason = error instanceof ConfigError ? { problems: error.problems } : { err: error };
    log.error(reason, 'the settings cannot be used: nothing has changed');
  }
}

async function init(settings: Settings): Promise<number> {
  const { controller } = await openController(settings, { serves: true });
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
  const { controller } = await openController(settings, { serves: false });
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
  const given = readCommandLine(args);
  const { command, wants, flags } = given;
  if (wants.has('help')) {
    print(usage);
    return exit.ok;
  }
  if (wants.has('version')) {
    print(build.version);
    return exit.ok;
  }
  if (command === 'doctor') {
    return limited(command, settingsTable.commandTimeLimit.default, () => doctor(given));
  }
  // The settings come first: a word after an unknown flag is probably its value. Then the flag is the error to report.
  const settings = readSettings(flags);
  const start = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!start) throw new UsageError(`unknown command "${command}"`);
  if (command === 'run') return start(settings, given);
  return limited(command, settings.commandTimeLimit, () => start(settings, given));
}

/** Ends the process when a command takes too long, or has left something behind that keeps the process alive. */
async function limited(command: string, limit: number, work: () => Promise<number>): Promise<number> {
  const giveUp = () => {
    printError(`"${command}" has not ended within ${formatDuration(limit)} and was given up`);
    printError(
      '  to fix: see with edge-controller doctor whether the stores respond, or raise EDGE_COMMAND_TIME_LIMIT',
    );
    process.exit(exit.unreachable);
  };
  const timer = setTimeout(giveUp, limit);
  try {
    return await work();
  } finally {
    timer.unref();
  }
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
