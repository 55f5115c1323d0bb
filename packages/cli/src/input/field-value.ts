import type { Field } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import { usageError } from '../errors/cli-error.ts';
import { optionOf } from '../lib/option-name.ts';
import { parseJson, readOptionText } from './read-file.ts';

/** The value of a member from the texts or the boolean that the command line has for it. */
export async function fieldValue(field: Field, given: boolean | readonly string[]): Promise<unknown> {
  if (typeof given === 'boolean') return given;
  if (field.isList && field.type !== 'json') return listValue(field, given);
  if (field.type === 'map') return mapValue(field, given);
  return scalarValue(field, given.at(-1) ?? '');
}

async function scalarValue(field: Field, text: string): Promise<unknown> {
  const option = optionOf(field.name);
  switch (field.type) {
    case 'integer':
    case 'number':
      return numberOf(field, text);
    case 'object':
    case 'json':
      return parseJson(await readOptionText(text, option), option);
    default:
      return knownValue(field, field.to === undefined ? await readOptionText(text, option) : text);
  }
}

/** `a,b`, given once or several times, or a JSON array. */
async function listValue(field: Field, given: readonly string[]): Promise<unknown> {
  const [only = ''] = given;
  if (given.length === 1 && only.startsWith('[')) return parseJson(only, optionOf(field.name));
  const texts = given.flatMap((text) => text.split(',')).filter((text) => text !== '');
  return texts.map((text) => (field.type === 'text' ? knownValue(field, text) : numberOf(field, text)));
}

/** `key=value`, given once or several times, or a JSON object. */
async function mapValue(field: Field, given: readonly string[]): Promise<unknown> {
  const option = optionOf(field.name);
  const [only = ''] = given;
  if (given.length === 1 && /^[{@-]/.test(only)) {
    const value = parseJson(await readOptionText(only, option), option);
    if (!isRow(value)) throw usageError(`${option} must be a JSON object, or key=value`);
    return value;
  }
  const pairs = given.map((pair) => {
    const at = pair.indexOf('=');
    if (at < 1) throw usageError(`${option} ${JSON.stringify(pair)}: must be key=value, or a JSON object`);
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

function knownValue({ name, values }: Field, text: string): string {
  if (values === undefined || values.includes(text)) return text;
  const other = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (other !== undefined) return other;
  const list = values.length > 12 ? `${values.slice(0, 12).join(', ')}, …` : values.join(', ');
  throw usageError(`${optionOf(name)} ${JSON.stringify(text)}: must be one of ${list}`);
}

function numberOf({ name, type }: Field, text: string): number {
  const isNumber = type === 'integer' ? /^-?\d{1,15}$/.test(text) : /^-?\d+(\.\d+)?$/.test(text);
  if (!isNumber)
    throw usageError(
      `${optionOf(name)} ${JSON.stringify(text)}: must be ${type === 'integer' ? 'an integer' : 'a number'}`,
    );
  return Number(text);
}
