import type { ApiName, Field, OperationEntry } from '@edge-controller/operation-tables';
import { loadBody, withValueAt } from '@edge-controller/operation-tables';
import { commandLineOf } from '../../src/commands/operation.ts';

interface Operation {
  readonly api: ApiName;
  readonly resource: string;
  readonly verb: string;
  readonly operation: OperationEntry;
}

/** The arguments of a command, with all that its operation requires. */
export async function commandOf({ operation, ...names }: Operation): Promise<string[]> {
  const [, ...words] = commandLineOf(names).split(' ');
  const fields = (await loadBody(operation)).filter(({ isRequired }) => isRequired);
  const body = fields.reduce((members, field) => withValueAt(members, field.name, memberValue(field)), {});
  return [
    ...words,
    ...(operation.params ?? []).map(() => 'x'),
    ...(operation.body === undefined ? [] : ['--body', operation.body === 'text' ? 'x' : JSON.stringify(body)]),
  ];
}

function memberValue({ type, isList, values }: Field): unknown {
  if (isList) return [];
  if (type === 'integer' || type === 'number') return 1;
  if (type === 'boolean') return true;
  return type === 'text' ? (values?.[0] ?? 'x') : {};
}
