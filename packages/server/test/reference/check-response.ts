import { readFileSync } from 'node:fs';
import { checkValue } from './check-value.ts';
import { withoutNames } from './compare-documents.ts';
import type { Difference } from './difference.ts';
import { describeDifference } from './difference.ts';
import { lineOf } from './differences.ts';
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
export function checkResponse(response: ObservedResponse): string[] {
  const { api, operation, status, body } = response;
  const { operations, shapes } = referenceOf(api);
  const expected = operations.get(withoutNames(operation));
  if (!expected) return [];
  const place = {
    at: operation,
    schema: status < 400 ? expected.response : { $ref: '#/definitions/apiErrorEnvelope' },
  };
  const differences: Difference[] = [...checkValue(body, place, shapes)];
  if (status < 400 && String(status) !== expected.status) {
    differences.push({ kind: 'status', at: operation, expected: expected.status, got: String(status) });
  }
  const unknown = differences.filter((difference) => lineOf(difference) === undefined).map(describeDifference);
  return [...new Set(unknown)].map((text) => `${operation} of the ${api} API, ${status}: ${text}`);
}

interface Reference {
  readonly operations: ReadonlyMap<string, OperationDigest>;
  readonly shapes: Shapes;
}

const references = new Map<Api, Reference>();

function referenceOf(api: Api): Reference {
  const known = references.get(api);
  if (known) return known;
  const { operations, definitions } = readReference(api);
  const byName = Object.entries(operations).map(([name, operation]) => [withoutNames(name), operation] as const);
  const reference = { operations: new Map(byName), shapes: new Shapes(definitions) };
  references.set(api, reference);
  return reference;
}

/** The digest of the reference document of an API. */
export function readReference(api: Api): Digest {
  return JSON.parse(readFileSync(new URL(`./generated/${api}.json`, import.meta.url), 'utf8'));
}
