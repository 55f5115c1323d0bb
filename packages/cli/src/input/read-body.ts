import type { Field, OperationEntry, Row } from '@edge-controller/operation-tables';
import { isRow, valueAt, withValueAt } from '@edge-controller/operation-tables';
import { usageError } from '../errors/cli-error.ts';
import { isSecret, kebabCase, optionOf } from '../lib/option-name.ts';
import { fieldValue } from './field-value.ts';
import type { GivenOptions } from './given-options.ts';
import { askSecret, canAsk } from './prompts.ts';
import { parseJson, readOptionText } from './read-file.ts';
import { readSecretLine } from './standard-input.ts';

/** The body of a request from `--body` and the options of its members, which win. */
export async function readBody(entry: OperationEntry, fields: readonly Field[], given: GivenOptions): Promise<unknown> {
  const { body: text } = given;
  if (entry.body === 'text') {
    if (text === undefined) throw usageError('--body is missing: the text, @file, or - for the standard input');
    return readOptionText(text, '--body');
  }
  const base = text === undefined ? undefined : parseJson(await readOptionText(text, '--body'), '--body');
  if (entry.isBodyList && Array.isArray(base)) return base;
  if (base !== undefined && !isRow(base)) throw usageError('--body must be a JSON object');
  const body = await withMembers(base ?? {}, fields, given);
  requireMembers(body, fields);
  return entry.isBodyList ? [body] : body;
}

/** The members of a query or of headers. */
export async function readMembers(fields: readonly Field[], given: GivenOptions): Promise<Row> {
  const members: Record<string, unknown> = {};
  for (const field of fields) {
    const value = await memberOf(field, given, members);
    if (value !== undefined) members[field.name] = value;
  }
  return members;
}

async function withMembers(base: Row, fields: readonly Field[], given: GivenOptions): Promise<Row> {
  let body = base;
  for (const field of fields) {
    const value = await memberOf(field, given, body);
    if (value !== undefined) body = withValueAt(body, field.name, value);
  }
  return body;
}

async function memberOf(field: Field, { fields, secrets }: GivenOptions, body: Row): Promise<unknown> {
  const option = optionOf(field.name);
  if (!isSecret(field)) {
    const value = fields.get(field.name);
    return value === undefined ? undefined : fieldValue(field, value);
  }
  if (secrets.has(field.name)) return readSecretLine(`${option}-stdin`);
  const isMissing = field.isRequired && valueAt(body, field.name) === undefined;
  return isMissing && canAsk() ? askSecret(kebabCase(field.name), `${option}-stdin`) : undefined;
}

/** All that is missing at once. */
function requireMembers(body: Row, fields: readonly Field[]): void {
  const missing = fields.filter(({ name, isRequired }) => isRequired && valueAt(body, name) === undefined);
  if (missing.length === 0) return;
  const options = missing.map((field) => `${optionOf(field.name)}${isSecret(field) ? '-stdin' : ''}`);
  throw usageError(
    `${options.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing (or give all of it with --body)`,
  );
}
