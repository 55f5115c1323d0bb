import type { Direction, Sides } from './compare-schemas.ts';
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

function compareOperations(
  name: string,
  { reference, own }: Sides<OperationDigest>,
  shapes: Sides<Shapes>,
): Difference[] {
  const compare = (direction: Direction, theirs = {}, ours = {}) =>
    compareSchemas({ reference: { schema: theirs, at: name }, own: { schema: ours, at: name } }, shapes, direction);
  const missing = Object.entries(reference.query).filter(([parameter]) => !(parameter in own.query));
  return [
    ...missing.map(([parameter, type]): Difference => {
      return { kind: 'missing', at: `${name}?${parameter}`, expected: type, got: 'nothing' };
    }),
    ...(reference.status === own.status
      ? []
      : [{ kind: 'status', at: name, expected: reference.status, got: own.status } as const]),
    ...compare('request', reference.body, own.body),
    ...compare('response', reference.response, own.response),
  ];
}

/** The names of path parameters are not on the wire. */
export function withoutNames(operation: string): string {
  return operation.replaceAll(/\{\w+\}/g, '{}');
}
