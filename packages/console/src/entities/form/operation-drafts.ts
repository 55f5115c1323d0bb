import type { Field, OperationEntry, Row } from '@edge-controller/operation-tables';
import { titleOf } from '../../api/titles.ts';
import type { Drafts } from './draft.ts';
import type { FieldErrors, ReadBody } from './read-body.ts';
import { draftsOf, readAll, readChanges } from './read-body.ts';

/** The fields of an operation by the part of the request in which they are sent. */
export interface OperationFields {
  readonly path: readonly Field[];
  readonly query: readonly Field[];
  readonly headers: readonly Field[];
  readonly body: readonly Field[];
}

export type Part = keyof OperationFields;

/** What is typed for one part; a body that is a list has several. */
export type PartDrafts = Readonly<Record<Part, readonly Drafts[]>>;

/** What is wrong, by part and the place in its list. */
export type PartErrors = Readonly<Record<Part, readonly FieldErrors[]>>;

export const parts: readonly Part[] = ['path', 'query', 'headers', 'body'];

export const noErrors: PartErrors = { path: [], query: [], headers: [], body: [] };

const bodyText: Field = { name: 'body', type: 'text', isRequired: true };

/** `given`: how many parameters of the path are known. */
export function fieldsOf(entry: OperationEntry, body: readonly Field[], given: number): OperationFields {
  const { params = [], query = [], headers = [] } = entry;
  const isText = entry.body === 'text';
  return {
    path: params.slice(given).map((param) => ({
      ...param,
      ...{ type: 'text', isRequired: true },
      ...(param.to !== undefined && { about: `Of: ${titleOf(param.to).toLowerCase()}.` }),
    })),
    query,
    headers,
    body: isText ? [bodyText] : body,
  };
}

export function emptyDrafts(fields: OperationFields, entity?: Row): PartDrafts {
  return {
    path: [draftsOf(fields.path)],
    query: [draftsOf(fields.query)],
    headers: [draftsOf(fields.headers)],
    body: [draftsOf(fields.body, entity)],
  };
}

interface ReadArguments {
  readonly args: readonly unknown[];
  readonly errors: PartErrors;
  readonly isRight: boolean;
}

/** The arguments of the call of the SDK. `first`: what an entity had, when only its changes are sent. */
export function readArguments(
  entry: OperationEntry,
  fields: OperationFields,
  { drafts, given, first }: { drafts: PartDrafts; given: readonly string[]; first?: PartDrafts | undefined },
): ReadArguments {
  const readPart = (part: Part): readonly ReadBody[] =>
    drafts[part].map((one, at) => {
      const before = part === 'body' ? first?.body[at] : undefined;
      return before === undefined ? readAll(fields[part], one) : readChanges(fields[part], one, before);
    });
  const read = {
    path: readPart('path'),
    query: readPart('query'),
    headers: readPart('headers'),
    body: readPart('body'),
  };
  const errorsOf = (part: Part) => read[part].map(({ errors }) => errors);
  const bodies = read.body.map(({ body }) => (entry.body === 'text' ? body.body : body));
  const args = [
    ...given,
    ...fields.path.map(({ name }) => read.path[0]?.body[name]),
    ...(entry.query ? [read.query[0]?.body] : []),
    ...(entry.headers ? [read.headers[0]?.body] : []),
    ...(entry.body === undefined ? [] : [entry.isBodyList ? bodies : bodies[0]]),
  ];
  return {
    args,
    errors: { path: errorsOf('path'), query: errorsOf('query'), headers: errorsOf('headers'), body: errorsOf('body') },
    isRight: parts.every((part) => read[part].every(({ errors }) => Object.keys(errors).length === 0)),
  };
}
