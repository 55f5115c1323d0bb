import type { ApiName, ResourceEntry } from '@edge-controller/operation-tables';
import { loadBody } from '@edge-controller/operation-tables';
import type { Command } from 'commander';
import { kebabCase } from '../lib/option-name.ts';
import { isSignIn } from './operation.ts';
import { addOperation } from './operation-command.ts';

/** Adds the verbs of a resource to its command. Only the verb that `verb` names gets its options. */
export async function addVerbs(
  command: Command,
  { api, resource, entry, verb }: { api: ApiName; resource: string; entry: ResourceEntry; verb: string | undefined },
): Promise<void> {
  command.description(entry.about);
  const verbs = Object.keys(entry.verbs).map(kebabCase);
  command.showHelpAfterError(`Verbs of ${command.name()}: ${verbs.join(', ')}`);
  for (const [name, operation] of Object.entries(entry.verbs)) {
    if (isSignIn(resource, name)) continue;
    const sub = command.command(kebabCase(name)).summary(operation.summary).description(operation.summary);
    if (kebabCase(name) !== verb) continue;
    sub.showHelpAfterError('(--help shows all options)');
    addOperation(sub, { api, resource, verb: name, operation, entry, fields: await loadBody(operation) });
  }
}
