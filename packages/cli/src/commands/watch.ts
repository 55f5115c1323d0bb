import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { addProfileOption } from './output-options.ts';

const examples = `
Ctrl+C ends it. A line of a session begins with the time at which edge saw it, then + when it is new, and - when it has ended. A line of the audit log has
the time, the event, its outcome, the identity that acted, and what it acted on. It begins with the entries that come from now on.

Examples:
  edge watch sessions
  edge watch sessions --filter 'identity = "a.bTkjZXd"' --output json | jq .
  edge watch audit --filter 'event = "authentication.failed"'
`;

/** `edge watch`. */
export function addWatch(command: Command): void {
  command
    .addArgument(new Argument('<what>', 'what to watch').choices(['sessions', 'audit']))
    .option('--filter <condition>', 'only the API sessions or entries that it selects')
    .option('--interval <seconds>', 'how often the controller is asked (default: 2)')
    .addOption(new Option('-o, --output <format>', 'json: one object a line').choices(['text', 'json']))
    .addHelpText('after', examples);
  addProfileOption(command);
  command.action(async (what: 'sessions' | 'audit') => {
    if (what === 'audit') await (await import('./watch-audit.ts')).watchAudit(command.opts());
    else await (await import('./watch-sessions.ts')).watchSessions(command.opts());
  });
}
