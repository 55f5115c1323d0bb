import type { Command } from 'commander';
import { usageError } from '../errors/cli-error.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addOutputOptions } from './output-options.ts';

const load = () => import('../profiles/profiles.ts');

/** `edge profiles`. */
export function addProfiles(command: Command): void {
  command.addHelpText('after', '\nExamples:\n  edge profiles list\n  edge profiles use sensor\n');
  const list = command.command('list').description('List the profiles; * is the current one');
  addOutputOptions(list);
  list.action(() => listAll(list.opts()));
  command
    .command('use <name>')
    .description('Choose the profile of commands without --profile')
    .action(async (name: string) => {
      const { selectProfile } = await load();
      await requireProfile(name);
      await selectProfile(name);
    });
  command
    .command('remove <name>')
    .description('Remove a profile with its session from this machine; `edge logout` ends the session')
    .action(async (name: string) => {
      await requireProfile(name);
      await (await load()).removeProfile(name);
    });
}

async function listAll(options: OutputOptions): Promise<void> {
  const { listProfiles, profileName, readProfile } = await load();
  const { printRows } = await import('../output/print-result.ts');
  const current = await profileName();
  const names = await listProfiles();
  const rows = await Promise.all(
    names.map(async (name) => {
      const profile = await readProfile(name);
      const { url, method, username } = profile ?? {};
      return { current: name === current ? '*' : '', name, url, method, username };
    }),
  );
  await printRows(rows, ['current', 'name', 'url', 'method', 'username'], options);
}

async function requireProfile(name: string): Promise<void> {
  const { listProfiles } = await load();
  const names = await listProfiles();
  if (!names.includes(name))
    throw usageError(`there is no profile ${JSON.stringify(name)}: ${names.join(', ') || 'none yet'}`);
}
