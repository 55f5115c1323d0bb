import type { Sides } from './compare-schemas.ts';
import { compareSchemas } from './compare-schemas.ts';
import type { Difference } from './difference.ts';
import type { Digest, OperationDigest } from './digest.ts';
import { Shapes } from './shape.ts';

/** Compares the operations of the reference with those of the controller. Operations that only the controller has do no harm. */
export function compareDocuments({ reference, own }: Sides<Digest>): Difference[] {
  const shapes = { reference: new Shapes(reference.definitions), own: new Shapes(own.definitions) };
  const ours = new Map(Object.entries(own.operations).map(([name, operation]) => [withoutNames(name), operation]));
  return Object.entries(reference.operations).flatMap(([name, theirs]) => {
    const operation = ours.get(withoutNames(name));
    if (operation) return compareOperations(name, { reference: theirs, own: operation }, shapes);
    return [{ kind: 'operation', at: name, expected: 'an operation', got: 'nothing' }];
  });
}

function compareOperations(at: string, operations: Sides<OperationDigest>, shapes: Sides<Shapes>): Difference[] {
  const { reference, own } = operations;
  const places = { reference: { schema: reference.response, at }, own: { schema: own.response, at } };
  return [
    ...compareParameters(at, operations),
    ...(reference.status === own.status ? [] : [statusDifference(at, reference.status, own.status)]),
    ...compareBodies(at, operations, shapes),
    ...compareSchemas(places, shapes, 'response'),
  ];
}

function compareParameters(at: string, { reference, own }: Sides<OperationDigest>): Difference[] {
  const missing = Object.entries(reference.query).filter(([name]) => !(name in own.query));
  return missing.map(([name, type]) => ({ kind: 'missing', at: `${at}?${name}`, expected: type, got: 'nothing' }));
}

function compareBodies(at: string, { reference, own }: Sides<OperationDigest>, shapes: Sides<Shapes>): Difference[] {
  if (reference.body && own.body) {
    const places = { reference: { schema: reference.body, at }, own: { schema: own.body, at } };
    return compareSchemas(places, shapes, 'request');
  }
  if (reference.body) return [{ kind: 'missing', at: `${at} body`, expected: 'a body', got: 'nothing' }];
  return own.body ? [{ kind: 'extra', at: `${at} body`, expected: 'nothing', got: 'a body' }] : [];
}

/** A success with another status than in the reference. */
export function statusDifference(at: string, expected: string, got: string): Difference {
  return { kind: 'status', at, expected, got };
}

/** The names of path parameters are not on the wire. */
export function withoutNames(operation: string): string {
  return operation.replaceAll(/\{\w+\}/g, '{}');
}
