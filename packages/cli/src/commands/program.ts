import type { ApiName } from '@edge-controller/operation-tables';
import { loadTable } from '@edge-controller/operation-tables';
import { Command } from 'commander';
import { kebabCase } from '../lib/option-name.ts';
import { printable, printableLines } from '../lib/printable.ts';
import { styledError } from '../output/terminal.ts';
import { ownCommands } from './own-commands.ts';
import { addVerbs } from './resource-command.ts';

const help = `
Examples:
  edge login https://localhost:1280 --ca ca.pem --username admin
  edge identities list --filter 'name contains "sensor"' --output json
  edge identities create --name sensor-1 --type Device --no-is-admin --quiet
  edge identities delete @sensor-1

@name stands for the id of an entity. Every command has --help; edge help <command> is the same. Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 not found,
5 the controller cannot be reached.
`;

/** Makes the program. Only the command that the arguments name gets its options: the others are there for the help. */
export async function createProgram(args: readonly string[], version: string): Promise<Command> {
  const program = new Command('edge');
  program.version(version, '-V, --version');
  program.description('The command line of an edge controller');
  program.configureOutput({
    outputError: (text, write) => {
      // A line feed in an argument makes no line here.
      const shown = args.reduce((all, arg) => all.replaceAll(arg, printable(arg)), withHint(text));
      write(styledError('red', printableLines(shown).replace(/^error: /, 'edge: ')));
    },
  });
  program.exitOverride();
  program.showHelpAfterError('(--help shows all options)');
  program.addHelpText('after', help);
  program.enablePositionalOptions();
  program.helpCommand(false);
  const [name, verb, third] = args.filter((arg) => !arg.startsWith('-'));
  await addOwnCommands(program, name);
  program.commandsGroup('Management API:');
  await addResources(program, 'management', name, verb);
  const client = program
    .command('client')
    .helpGroup('Client API:')
    .description('The Client API: what applications call');
  client.copyInheritedSettings(program).helpCommand(false);
  if (name === 'client') await addResources(client, 'client', verb, third);
  program.showHelpAfterError('(edge --help shows all commands)');
  return program;
}

async function addOwnCommands(program: Command, name: string | undefined): Promise<void> {
  program.commandsGroup('Commands:');
  for (const [own, { about, load }] of Object.entries(ownCommands)) {
    const command = program.command(own).description(about);
    if (own !== name) continue;
    const add = await load();
    add(command);
  }
}

async function addResources(
  parent: Command,
  api: ApiName,
  name: string | undefined,
  verb: string | undefined,
): Promise<void> {
  for (const [resource, entry] of Object.entries(await loadTable(api))) {
    const command = parent.command(kebabCase(resource)).summary(firstSentence(entry.about)).helpCommand(false);
    if (kebabCase(resource) === name) await addVerbs(command, { api, resource, entry, verb });
  }
}

/** Ids that other controllers have made may begin with `-`. */
function withHint(text: string): string {
  const [, word] = /^error: unknown option '(-[^-'][^']+)'/.exec(text) ?? [];
  return word === undefined ? text : `${text.trimEnd()}\n(If ${word} is an id, write -- before it.)\n`;
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.) /, 1)[0] ?? '';
}
