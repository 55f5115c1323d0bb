import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { addProfileOption } from './output-options.ts';

const examples = `
Ctrl+C ends it. A line begins with the time, then + for a session that is new, and - for one that has ended.

Examples:
  edge watch sessions
  edge watch sessions --filter 'identity.name contains "sensor"' --output json | jq .
`;

/** `edge watch`. */
export function addWatch(command: Command): void {
  command
    .addArgument(new Argument('<what>', 'what to watch').choices(['sessions']))
    .option('--filter <condition>', 'only the API sessions that it selects')
    .option('--interval <seconds>', 'how often the controller is asked (default: 2)')
    .addOption(new Option('-o, --output <format>', 'json: one object a line').choices(['text', 'json']))
    .addHelpText('after', examples);
  addProfileOption(command);
  command.action(async () => {
    const { watchSessions } = await import('./watch-sessions.ts');
    await watchSessions(command.opts());
  });
}
