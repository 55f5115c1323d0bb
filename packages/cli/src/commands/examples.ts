import type { Field } from '@edge-controller/operation-tables';
import { isSecret, optionOf } from '../lib/option-name.ts';
import { ownerCondition } from '../lib/owner-condition.ts';
import type { OperationCommand } from './operation.ts';
import { commandLineOf } from './operation.ts';

/** The examples below the help of an operation. They are made of the same data as its options. */
export function examplesOf({ api, resource, verb, operation, entry, fields }: OperationCommand): string {
  const { params = [], query = [], result, body } = operation;
  const own = commandLineOf({ api, resource, verb });
  const ids = params.map(({ to }) => (to === undefined || (to === resource && !entry.hasNames) ? 'ID' : '@name'));
  const command = [own, ...ids].join(' ');
  const lines = [`${command}${requiredOptions(fields)}${body === 'text' ? ' --body @file' : ''}`];
  const takes = (name: string) => query.some((field) => field.name === name);
  if (takes('filter')) {
    const condition = operation.columns?.includes('name') ? ` --filter 'name contains "a"'` : '';
    lines.push(`${command}${condition}${takes('limit') ? ' --limit all' : ''} --output json`);
  }
  // Without a condition, the example would do it to everything that there is.
  const some = entry.hasNames ? 'name contains "sensor"' : ownerCondition(entry.verbs.list?.columns ?? []);
  if (result === 'empty' && ids.length === 1 && body === undefined && some !== null) {
    lines.push(`${commandLineOf({ api, resource, verb: 'list' })} --filter '${some}' --quiet | ${own} -`);
  }
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

function requiredOptions(fields: readonly Field[]): string {
  const required = fields.filter(({ isRequired }) => isRequired);
  const some = required.length > 0 ? required : fields.slice(0, 1);
  return some.map((field) => ` ${exampleOf(field)}`).join('');
}

function exampleOf(field: Field): string {
  const option = optionOf(field.name);
  if (isSecret(field)) return `${option}-stdin`;
  if (field.type === 'boolean') return /^--no-/.test(option) ? option : option.replace('--', '--no-');
  if (field.to !== undefined) return `${option} @name`;
  if (field.type === 'object') return `${option} '{}'`;
  if (field.type === 'map') return `${option} key=value`;
  if (field.type === 'json') return `${option} '[]'`;
  if (field.isTime) return `${option} 2026-12-01T00:00:00Z`;
  if (field.type === 'integer') return `${option} 1`;
  return `${option} ${field.values?.[0] ?? 'text'}`;
}
