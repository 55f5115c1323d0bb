import type { ApiTree, Operation } from '@edge-controller/shared-types';
import type { Handlers } from '../call.ts';
import type { Cut } from './cut.ts';
import { compileCut } from './cut.ts';
import type { RouteTable } from './route-table.ts';
import { createRouteTable } from './route-table.ts';
import { compileQuery } from './validate-query.ts';

type AnyHandler = (call: never, input: never) => Promise<unknown>;

/** One API with its handlers, no longer typed by operation. Made by `surface`. */
export interface Surface {
  readonly tree: ApiTree;
  readonly handlers: Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>;
}

/** An operation, ready to be called. */
export interface Mounted {
  readonly operation: Operation;
  readonly handler: (call: unknown, input: unknown) => Promise<unknown>;
  /** Name of the collection in the path: `identities`. */
  readonly collection: string;
  readonly readQuery: ((query: string) => unknown) | null;
  readonly cut: Cut | null;
}

/** Pairs an API with its handlers; a missing one is a compile error that names it. */
export function surface<T extends ApiTree>(tree: T, handlers: Handlers<T>): Surface {
  return { tree, handlers: handlers as unknown as Surface['handlers'] };
}

/** Walks an API tree and mounts each operation with its handler. */
export function mountApi({ tree, handlers }: Surface): RouteTable<Mounted> {
  const table = createRouteTable<Mounted>();
  for (const [resource, operations] of Object.entries(tree)) {
    for (const [verb, operation] of Object.entries(operations)) {
      const handler = handlers[resource]?.[verb];
      if (!handler) throw new Error(`no handler for ${resource}.${verb}`);
      table.add(operation.method, operation.path, mountOperation(operation, handler));
    }
  }
  return table;
}

function mountOperation(operation: Operation, handler: AnyHandler): Mounted {
  const collection = operation.path.slice(1);
  return {
    operation,
    handler: handler as unknown as Mounted['handler'],
    collection,
    readQuery: operation.query ? compileQuery(operation.query) : null,
    cut: operation.response ? compileCut(operation.response) : null,
  };
}
