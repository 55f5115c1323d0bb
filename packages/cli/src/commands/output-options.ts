import type { Command } from 'commander';
import { Option } from 'commander';
import { formats } from '../output/print-result.ts';

const heading = 'Output:';

/** The options of every command that shows something. */
export function addOutputOptions(command: Command): void {
  command.addOption(new Option('-o, --output <format>', 'default: table').choices(formats).helpGroup(heading));
  command.addOption(
    new Option('--columns <names>', 'members to show, with commas: id,name,type.name').helpGroup(heading),
  );
  command.addOption(
    new Option(
      '-q, --quiet',
      'ids alone, one a line, or what a list without ids shows first; with --columns these, without a head',
    ).helpGroup(heading),
  );
}

/** Which controller a command talks to. */
export function addProfileOption(command: Command): void {
  const about = 'default: EDGE_PROFILE, or that of the last sign-in';
  command.addOption(new Option('-p, --profile <name>', about).helpGroup('Session:'));
}
