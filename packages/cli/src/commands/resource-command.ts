import type { Command } from 'commander';
import type { CommandEntry, ResourceEntry } from '../api/command-table.ts';
import type { ApiName } from '../api/load-tables.ts';
import { loadBody } from '../api/load-tables.ts';
import { kebabCase } from '../input/option-name.ts';
import { addOperation } from './operation-command.ts';

/** Adds the verbs of a resource to its command. Only the verb that `verb` names gets its options. */
export async function addVerbs(
  command: Command,
  { api, resource, entry, verb }: { api: ApiName; resource: string; entry: ResourceEntry; verb: string | undefined },
): Promise<void> {
  command.description(entry.about);
  for (const [name, operation] of Object.entries(entry.verbs)) {
    if (isSignIn(resource, name)) continue;
    const sub = command.command(kebabCase(name)).summary(operation.summary).description(operation.summary);
    if (kebabCase(name) !== verb) continue;
    addOperation(sub, { api, resource, verb: name, operation, entry, fields: await loadBody(operation) });
  }
}

/** `edge login` is the command of this operation: the SDK keeps the session that it opens. */
export function isSignIn(resource: string, verb: string): boolean {
  return resource === 'authentication' && verb === 'authenticate';
}

/** Whether an operation takes several ids: it needs nothing else, and has no result to show. */
export function takesManyIds({ params = [], body, query, headers, result }: CommandEntry): boolean {
  return (
    params.length === 1 && result === 'empty' && body === undefined && query === undefined && headers === undefined
  );
}
