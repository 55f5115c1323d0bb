#!/usr/bin/env node
import { readCommandLine, UsageError } from './config/command-line.ts';
import { ConfigError, flagOf, loadSettings } from './config/load.ts';
import type { Setting, Settings } from './config/schema.ts';
import { settingsTable } from './config/schema.ts';
import type { Controller } from './controller.ts';
import { build } from './info/version.ts';
import { saveCompileCache, useCompileCache } from './lib/compile-cache.ts';

/** Exit codes of the executable. */
const exit = { ok: 0, unexpected: 1, usage: 2, unreachable: 3 } as const;

const usage = `Usage: edge-controller [command] [flags]

Commands
  run                    serve until SIGTERM or SIGINT (default)
  init                   make the data directory and the default administrator, then stop
  config check           check the settings and stop
  admin reset-password   let the default administrator in again with EDGE_ADMIN_PASSWORD, or a generated one

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

Secrets are read from the environment (EDGE_ADMIN_PASSWORD …) or from files (EDGE_ADMIN_PASSWORD_FILE …) only.
Exit codes: 0 done, 1 unexpected failure, 2 wrong settings or usage, 3 a store or the address cannot be used.
`;

const say = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

const commands: Readonly<Record<string, (settings: Settings) => Promise<number>>> = {
  run,
  init,
  'config check': async () => {
    say('The settings are right.');
    return exit.ok;
  },
  'admin reset-password': resetPassword,
};

/** What serves is loaded after the compile cache is on; commands that need no controller do without both. */
async function openController(settings: Settings): Promise<Controller> {
  useCompileCache(settings.dataDir);
  const { createController } = await import('./controller.ts');
  return createController(settings);
}

async function run(settings: Settings): Promise<number> {
  if (settings.databaseUrl !== null && settings.redisUrl === null) {
    complain('Warning: EDGE_DATABASE_URL without EDGE_REDIS_URL: no second controller may use this database, because');
    complain('  each keeps API sessions in files of its own and would not hear of what the other changes.');
  }
  if (settings.sessionTimeout < 60_000) {
    complain(`Warning: API sessions end after ${settings.sessionTimeout / 1_000} s without use; 1m or more is usual.`);
  }
  const controller = await openController(settings);
  const stopped = Promise.withResolvers<void>();
  // Heard more than once: a terminal and a launcher may both pass the same signal on, and the drain goes on.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopped.resolve());
  try {
    tellAdmin(controller);
    const { url } = await controller.listen();
    say(`Clients trust ${controller.caFile}`);
    say(`Edge controller ${build.version} listening on ${url}`);
    setImmediate(saveCompileCache);
    await stopped.promise;
  } finally {
    await controller.close();
  }
  return exit.ok;
}

async function init(settings: Settings): Promise<number> {
  const controller = await openController(settings);
  // Said before anything else can fail: a generated password is shown only now.
  tellAdmin(controller);
  await controller.close();
  if (!controller.admin.created) {
    complain(`Already initialized: the default administrator "${controller.admin.username}" exists.`);
    return exit.usage;
  }
  say(`Initialized ${settings.dataDir}`);
  return exit.ok;
}

async function resetPassword(settings: Settings): Promise<number> {
  const controller = await openController(settings);
  try {
    const admin = await controller.resetAdminPassword();
    if (!admin) throw new Error('there is no default administrator');
    say(`The password of "${admin.username}" is set; its API sessions have ended.`);
    if (admin.allowedPasswords)
      say('The auth policy "default" forbade passwords; it allows them again, to everybody under it.');
    if (admin.generatedPassword) say(`New password, shown only now: ${admin.generatedPassword}`);
  } finally {
    await controller.close();
  }
  return exit.ok;
}

function tellAdmin({ admin }: Controller): void {
  if (!admin.created) return;
  say(`Default administrator made: ${admin.username}`);
  if (admin.generatedPassword) say(`Its password, shown only now: ${admin.generatedPassword}`);
}

async function main(args: readonly string[]): Promise<number> {
  const { command, wants, flags } = readCommandLine(args);
  if (wants.has('help')) {
    say(usage);
    return exit.ok;
  }
  if (wants.has('version')) {
    say(build.version);
    return exit.ok;
  }
  // Settings first: a word after an unknown flag was meant as its value, not as a command.
  const settings = loadSettings({ flags });
  const start = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!start) throw new UsageError(`unknown command "${command}"`);
  return start(settings);
}

function failed(error: unknown): number {
  if (error instanceof ConfigError) {
    complain(`The settings cannot be used:\n${error.message}`);
    return exit.usage;
  }
  if (error instanceof Error && error.name === 'SealKeyMismatch') {
    complain(
      `${error.message}\n  to mend: set EDGE_SEAL_KEY to the key that this database was made with; all replicas share one`,
    );
    return exit.usage;
  }
  if (error instanceof UsageError) {
    complain(`${error.message}\nSee edge-controller --help`);
    return exit.usage;
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE' || code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    complain(
      `Cannot listen: ${message}\n  to mend: free the address, or set EDGE_HOST and EDGE_PORT (0 takes any free port)`,
    );
    return exit.unreachable;
  }
  if (error instanceof Error && error.name === 'StoreUnusable') {
    complain(`${message}\n  to mend: start the store, or correct EDGE_DATABASE_URL or EDGE_REDIS_URL`);
    return exit.unreachable;
  }
  complain(`Unexpected failure: ${error instanceof Error ? error.stack : String(error)}`);
  return exit.unexpected;
}

process.exitCode = await main(process.argv.slice(2)).catch(failed);
