import type { Field, Parameter } from '@edge-controller/operation-tables';
import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { completeWith } from '../input/completion-source.ts';
import { kebabCase } from '../lib/option-name.ts';
import { examplesOf } from './examples.ts';
import { addFieldOptions } from './field-options.ts';
import type { OperationCommand } from './operation.ts';
import { takesManyIds } from './operation.ts';
import { addOutputOptions, addProfileOption } from './output-options.ts';

/** These have options of their own, with help for tables. */
const listOptions = ['limit', 'offset', 'filter', 'sort'];

/** Adds the arguments and options of an operation to its command. */
export function addOperation(command: Command, given: OperationCommand): void {
  const { api, operation, fields } = given;
  const { params = [], query = [], headers = [], body, result } = operation;
  for (const parameter of params) addPathArgument(command, given, parameter);
  const isChange = operation.method === 'PATCH' || operation.method === 'PUT';
  const ofBody = addFieldOptions(command, fields, { group: 'Members:', api, replacesLists: isChange });
  if (body !== undefined) addBodyOption(command, body);
  const inQuery = addFieldOptions(
    command,
    query.filter(({ name }) => !listOptions.includes(name)),
    { group: 'Query:', api },
  );
  const inHeaders = addFieldOptions(command, headers, { group: 'Query:', api });
  addListOptions(command, query, operation.columns ?? []);
  if (result === 'document') command.option('--out <file>', 'writes the document to a file');
  else if (result !== 'empty') addOutputOptions(command);
  addProfileOption(command);
  command.addHelpText('after', examplesOf(given));
  command.action(async () => {
    const { runOperation } = await import('./run-operation.ts');
    const options = command.opts();
    await runOperation(given, {
      args: command.args,
      options,
      query: inQuery(),
      headers: inHeaders(),
      body: { ...ofBody(), ...(typeof options.body === 'string' && { body: options.body }) },
    });
  });
}

function addPathArgument(
  command: Command,
  { api, operation, resource, entry }: OperationCommand,
  { name, to }: Parameter,
): void {
  const isMany = takesManyIds(operation);
  const hasNames = to !== resource || entry.hasNames;
  const about = to === undefined ? '' : `id${hasNames ? ' or @name' : ''}, of ${kebabCase(to)}`;
  const flag = kebabCase(name);
  const argument = new Argument(isMany ? `<${flag}...>` : `<${flag}>`, isMany ? `${about}; - reads ids` : about);
  if (to !== undefined) completeWith(argument, { to, api });
  command.addArgument(argument);
}

function addBodyOption(command: Command, body: string): void {
  const about = body === 'text' ? 'the text, @file, or - for the standard input' : 'all members as JSON, @file, or -';
  command.addOption(new Option(`--body <${body === 'text' ? 'text' : 'json'}>`, about).helpGroup('Members:'));
}

function addListOptions(command: Command, query: readonly Field[], columns: readonly string[]): void {
  const has = (name: string) => query.some((field) => field.name === name);
  const add = (flags: string, about: string) => command.addOption(new Option(flags, about).helpGroup('Rows:'));
  const [condition, order] = listExamples(columns);
  if (has('filter')) add('--filter <condition>', `${condition}; an unknown symbol shows those that there are`);
  if (has('sort')) add('--sort <symbols>', order);
  if (has('limit')) add('--limit <rows>', 'how many rows, or all (default: 100)');
  if (has('offset')) add('--offset <rows>', 'the first row (default: 0)');
}

/** A filter and an order. A list without columns has texts, which filters call `id`. */
function listExamples(columns: readonly string[]): readonly [string, string] {
  if (columns.includes('name')) return ['name contains "sensor"', 'name, createdAt desc'];
  if (columns.length === 0) return ['id contains "sensor"', 'id desc'];
  return ['createdAt > datetime(2026-12-01T00:00:00Z)', 'createdAt desc'];
}
