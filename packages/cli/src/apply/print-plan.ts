import { textOf } from '@edge-controller/operation-tables';
import { printable } from '../lib/printable.ts';
import { print, styled } from '../output/terminal.ts';
import type { Change, Plan } from './plan.ts';

const signs = { create: styled('green', '+'), update: styled('yellow', '~'), delete: styled('red', '-') };

/** Shows what would be done, and how much. */
export function printPlan({ changes, unchanged }: Plan, { isQuiet }: { isQuiet: boolean }): void {
  if (!isQuiet) for (const change of changes) print(linesOf(change).join('\n'));
  const count = (verb: Change['verb']) => changes.filter((change) => change.verb === verb).length;
  print(
    `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete, ${unchanged} as they are`,
  );
}

function linesOf({ verb, kind, name, members, differences }: Change): string[] {
  const head = `${signs[verb]} ${kind.resource} ${printable(name)}`;
  const given = Object.entries(members).filter(([member]) => member !== 'name');
  const details =
    verb === 'create'
      ? given.map(([member, value]) => `    ${printable(member)}: ${shown(value)}`)
      : differences.map(({ field, from, to }) => `    ${field.name}: ${shown(from)} → ${shown(to)}`);
  return [head, ...details];
}

const shown = (value: unknown) => printable(textOf(value)) || '(none)';
