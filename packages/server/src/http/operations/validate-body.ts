import type { BodySchema } from '@edge-controller/shared-types';
import { notAnObject } from '@edge-controller/shared-types';
import { z } from 'zod';
import { ApiError } from '../../core/api-error.ts';
import { fieldError, fieldName } from './field-error.ts';

type Issue = z.core.$ZodIssue;

/**
 * Checks a body against its schema, and drops the members that the schema does not name. The case of names does not matter.
 *
 * @throws ApiError 400 `COULD_NOT_PARSE_BODY` for a wrong JSON type; 400 `COULD_NOT_VALIDATE` with the alphabetically
 * first field that is missing, too short or outside its enumeration
 */
export function validateBody(schema: BodySchema, sent: unknown): unknown {
  const body = foldNames(schema, sent);
  let result = schema.safeParse(body);
  if (!result.success && dropRefusedNulls(body, result.error.issues)) result = schema.safeParse(body);
  if (result.success) return result.data;
  const issues = result.error.issues.toSorted((a, b) => (fieldName(a) < fieldName(b) ? -1 : 1));
  const wrongType = issues.find((issue) => isWrongType(issue, valueAt(body, issue.path)));
  if (wrongType) throw unparsable(`${fieldName(wrongType)} has the wrong type`);
  const [first] = issues;
  if (!first) throw unparsable('the body is not valid');
  throw fieldError(first, valueAt(body, first.path), 'body');
}

/** 400 for a body that cannot be read at all. `message` says why. */
export function unparsable(message: string): ApiError {
  return new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message } });
}

/** Treats `null` as absent wherever the schema does not allow `null`. */
function dropRefusedNulls(body: unknown, issues: readonly Issue[]): boolean {
  let dropped = false;
  for (const { path } of issues) {
    const name = path.at(-1);
    const holder = valueAt(body, path.slice(0, -1));
    if (name === undefined || !isObject(holder) || Array.isArray(holder) || holder[name] !== null) continue;
    delete holder[name];
    dropped = true;
  }
  return dropped;
}

function isWrongType(issue: Issue, value: unknown): boolean {
  if (value === undefined || issue.message === notAnObject) return false;
  if (value === null || issue.code === 'invalid_type') return true;
  return issue.code === 'invalid_value' && typeof value !== typeof issue.values[0];
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), body);
}

function isObject(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null;
}

/**
 * Gives members the names of the schema when they differ only in case, because existing clients send such names. If two members
 * get the same name, the last one counts. What a schema leaves open, such as tags, keeps its names.
 */
function foldNames(schema: unknown, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return foldNames(schema.unwrap(), value);
  if (schema instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((element) => foldNames(schema.element, element));
  }
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return value;
  }
  const names = namesOf(schema);
  const folded: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const known = names.get(name.toLowerCase()) ?? name;
    folded[known] = foldNames(schema.shape[known], member);
  }
  return folded;
}

const namesBySchema = new WeakMap<z.ZodObject, ReadonlyMap<string, string>>();

/** The names of the members of an object by their form in lower case. */
function namesOf(schema: z.ZodObject): ReadonlyMap<string, string> {
  const known = namesBySchema.get(schema);
  if (known) return known;
  const names = new Map(Object.keys(schema.shape).map((name) => [name.toLowerCase(), name]));
  namesBySchema.set(schema, names);
  return names;
}
