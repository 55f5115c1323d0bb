import type { Field } from '@edge-controller/shared-types';
import { tags } from '@edge-controller/shared-types';
import { invalidField } from '../core/api-error.ts';
import { setOf } from '../core/text/set-of.ts';
import { hasTexts, isSet } from './codec.ts';
import type { ProposedChange } from './define-entity.ts';
import type { AnyState, Entity } from './entity.ts';

interface Proposal {
  readonly entity: Entity;
  readonly verb: 'create' | 'update' | 'patch';
  readonly body: Readonly<Record<string, unknown>>;
  /** `null` for POST. */
  readonly previous: AnyState | null;
  readonly id: string;
  /** RFC 3339. */
  readonly now: string;
}

/** Returns the next state of an entity, before its own rules. Only this function knows how POST, PUT and PATCH differ. */
export function propose({ entity, verb, body, previous, id, now }: Proposal): AnyState {
  const isPatch = verb === 'patch';
  const next: Record<string, unknown> = {
    ...{ id, createdAt: previous?.createdAt ?? now, updatedAt: now },
    tags: isSent(body.tags, verb) ? body.tags : isPatch ? previous?.tags : {},
  };
  for (const { name, field } of [...entity.columns, ...entity.sets]) {
    const sent = field[verb] === 'none' ? undefined : body[field.body ?? name];
    const options = entity.options[name];
    const isKept = previous !== null && (isPatch ? !isSent(sent, verb) : field.update === 'none' && !options?.reset);
    if (isKept) next[name] = previous[name];
    else if (isSent(sent, verb)) next[name] = storedValue(field, isPatch ? previous?.[name] : undefined, sent);
    else next[name] = field.default ?? (isSet(field) ? [] : null);
  }
  keepKind(entity, next, { previous, body });
  checkCommonRules(entity, next);
  return next as AnyState;
}

/** `null` is the same as absent. PATCH also ignores an object whose values are all null. */
function isSent(value: unknown, verb: ProposedChange['verb']): boolean {
  if (value === null || value === undefined) return false;
  if (verb !== 'patch' || !isObject(value)) return true;
  const members = Object.values(value);
  return members.length === 0 || members.some((member) => member !== null);
}

/** Converts a sent value to the stored one. PATCH merges it into `current`. */
function storedValue(field: Field, current: unknown, sent: unknown): unknown {
  if (isSet(field) || hasTexts(field)) return setOf(sent as string[]);
  return field.kind === 'group' ? merged(current, sent) : sent;
}

function merged(current: unknown, sent: unknown): unknown {
  if (!isObject(sent)) return sent;
  const known = isObject(current) ? current : {};
  const members = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined);
  return { ...known, ...Object.fromEntries(members.map(([name, value]) => [name, merged(known[name], value)])) };
}

/**
 * The kind of an entity never changes. Members of other kinds are null, and the required ones must be there. A body of another
 * kind changes no member.
 */
function keepKind(
  { contract: { kinds } }: Entity,
  next: Record<string, unknown>,
  { previous, body }: Pick<Proposal, 'previous' | 'body'>,
): void {
  if (!kinds) return;
  const kind = previous ? previous[kinds.by] : next[kinds.by];
  const isForeign = next[kinds.by] !== kind && body[kinds.by] !== undefined;
  next[kinds.by] = kind;
  const own = kinds.members[String(kind)] ?? [];
  for (const name of new Set(Object.values(kinds.members).flat().map(withoutMark))) {
    if (!own.some((member) => withoutMark(member) === name)) next[name] = null;
    else if (isForeign) next[name] = previous?.[name];
    else if (own.includes(`${name}!`) && next[name] === null) throw invalidField(name, `${name} in body is required`);
  }
}

function withoutMark(member: string): string {
  return member.replace('!', '');
}

/** The rules of all entities: a name is not empty, tags are flat, role attributes have no prefix. */
function checkCommonRules({ contract: { fields } }: Entity, next: Record<string, unknown>): void {
  if (fields.name && next.name === '') throw invalidField('name', 'name is required', '');
  checkTags('tags', next.tags);
  for (const [name, { kind, schema }] of Object.entries(fields)) {
    if (schema === tags) checkTags(name, next[name]);
    const prefixed = kind === 'attributes' && (next[name] as string[]).find((attribute) => /^[#@]/.test(attribute));
    if (prefixed) throw invalidField(name, `role attributes may not be prefixed with ${prefixed[0]}`, prefixed);
  }
}

function checkTags(field: string, values: unknown): void {
  for (const [key, value] of Object.entries(values as object)) {
    if (isObject(value) || Array.isArray(value)) {
      throw invalidField(`${field}.${key}`, 'a tag is a string, a number, a boolean or null');
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
