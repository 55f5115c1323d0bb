import type { DocumentType, ErrorEntry, Operation } from '@edge-controller/shared-types';
import { errorCatalogue } from '@edge-controller/shared-types';
import { z } from 'zod';
import type { Content, Response, Schema } from './parts.ts';
import { nullable, printBody, reference } from './schemas.ts';

const json: DocumentType = 'application/json';

/** Returns the responses of an operation by status: the success, the errors that are derived from its members, all others. */
export function printResponses(operation: Operation, name: string): Record<string, Response> {
  const { result } = operation;
  const success = result === 'create' || result === 'created' ? 201 : 200;
  const ofParts = errorStatuses.filter(({ isPossible }) => isPossible(operation));
  return {
    [success]: { description: descriptions[result], content: successContent(operation, name) },
    ...declaredResponses(operation),
    ...Object.fromEntries(ofParts.map(({ status }) => [status, errorResponse(codesOf(status))])),
    default: errorResponse('Any other error of the catalogue'),
  };
}

/** True when the operation may open a session for a JWT of an external signer. */
export function signsInWithJwt({ access, query }: Operation): boolean {
  const method = query?.shape.method;
  return access === 'anyone' && method instanceof z.ZodEnum && method.options.includes('ext-jwt');
}

const errorStatuses: readonly { status: number; isPossible: (operation: Operation) => boolean }[] = [
  { status: 400, isPossible: ({ query, headers, body }) => Boolean(query ?? headers ?? body) },
  { status: 401, isPossible: (operation) => operation.access !== 'anyone' || signsInWithJwt(operation) },
  { status: 404, isPossible: ({ params }) => params !== undefined },
  { status: 413, isPossible: ({ body }) => body !== undefined },
  { status: 415, isPossible: ({ body }) => body !== undefined },
  { status: 429, isPossible: ({ attempt }) => attempt === true },
  { status: 503, isPossible: ({ access }) => access !== 'anyone' },
];

const descriptions: Readonly<Record<Operation['result'], string>> = {
  detail: 'The data',
  list: 'One page of the rows, the names to filter and sort by, and the total number of rows',
  create: 'The id of the new entity and its link',
  created: 'The new entity',
  empty: 'Done; without data',
  document: 'The document, without an envelope',
};

function successContent(operation: Operation, name: string): Content {
  const { result, produces = [] } = operation;
  if (result !== 'document') return content([json], successSchema(operation, name));
  return Object.fromEntries(produces.map((type) => [type, { schema: documentSchema(type) }]));
}

function successSchema({ result, response, meta }: Operation, name: string): Schema {
  if (result === 'create') return envelope(reference('createLocation'));
  if (!response) return envelope({ type: 'object' });
  const data = printBody(response, name);
  return envelope(result === 'list' ? { type: 'array', items: data } : data, meta === null);
}

function envelope(data: Schema, isMetaNull = false): Schema {
  const meta = isMetaNull ? nullable(reference('meta')) : reference('meta');
  return { type: 'object', required: ['data', 'meta'], properties: { data, meta } };
}

function documentSchema(type: DocumentType): Schema {
  if (type === json) return { type: 'object' };
  return { type: 'string', ...(type.startsWith('image/') && { format: 'binary' }) };
}

function errorResponse(description: string): Response {
  return { description, content: content([json], reference('apiErrorEnvelope')) };
}

/** The responses for the errors that an operation names itself. */
function declaredResponses({ errors = [] }: Operation): Record<string, Response> {
  const byStatus = Map.groupBy(errors, (code) => errorCatalogue[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, errorResponse(codes.join(', '))]));
}

function codesOf(status: number): string {
  const entries = Object.entries<ErrorEntry>(errorCatalogue).filter(([, entry]) => entry.status === status);
  return [...new Set(entries.map(([name, { code = name }]) => code))].join(', ');
}

/** What a body is in each of its media types. */
export function content(types: readonly string[], schema: Schema): Content {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}
