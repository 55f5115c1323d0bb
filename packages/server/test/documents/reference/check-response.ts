import { readFileSync } from 'node:fs';
import { checkValue } from './check-value.ts';
import { statusDifference, withoutNames } from './compare-documents.ts';
import type { Difference } from './difference.ts';
import { describeDifference } from './difference.ts';
import { isListed } from './differences.ts';
import type { Digest, OperationDigest } from './digest.ts';
import { Shapes } from './shape.ts';

export type Api = 'client' | 'management';

/** A response of an operation, which is named as the documents do: `GET /identities/{id}`. */
export interface ObservedResponse {
  readonly api: Api;
  readonly operation: string;
  readonly status: number;
  readonly body: unknown;
}

/** Returns how a response differs from the reference without a reason in the table. Empty: an operation that it does not know. */
export function checkResponse({ api, operation, status, body }: ObservedResponse): string[] {
  const { operations, shapes } = referenceOf(api);
  const expected = operations.get(withoutNames(operation));
  // The whole response may be something else on purpose.
  if (!expected || isListed({ kind: 'type', at: expected.name })) return [];
  const differences = status < 400 ? checkSuccess(expected, { status, body }, shapes) : checkError(body, shapes);
  const unlisted = differences.filter((difference) => !isListed(difference)).map(describeDifference);
  return [...new Set(unlisted)].map((text) => `${operation} of the ${api} API, ${status}: ${text}`);
}

function checkSuccess(
  { name: at, response: schema, status: expected }: NamedOperation,
  { status, body }: Pick<ObservedResponse, 'status' | 'body'>,
  shapes: Shapes,
): Difference[] {
  const inBody = [...checkValue(body, { schema, at }, shapes)];
  return String(status) === expected ? inBody : [statusDifference(at, expected, String(status)), ...inBody];
}

/** Errors have one form, whatever the reference says of an operation. */
function checkError(body: unknown, shapes: Shapes): Difference[] {
  return [...checkValue(body, { schema: { $ref: '#/definitions/apiErrorEnvelope' }, at: 'error' }, shapes)];
}

interface NamedOperation extends OperationDigest {
  readonly name: string;
}

interface Reference {
  readonly operations: ReadonlyMap<string, NamedOperation>;
  readonly shapes: Shapes;
}

const references = new Map<Api, Reference>();

function referenceOf(api: Api): Reference {
  const known = references.get(api);
  if (known) return known;
  const { operations, definitions } = readReference(api);
  const named = Object.entries(operations).map(
    ([name, operation]) => [withoutNames(name), { ...operation, name }] as const,
  );
  const reference = { operations: new Map(named), shapes: new Shapes(definitions) };
  references.set(api, reference);
  return reference;
}

/** The digest of the reference document of an API. */
export function readReference(api: Api): Digest {
  return JSON.parse(readFileSync(new URL(`./generated/${api}.json`, import.meta.url), 'utf8'));
}
