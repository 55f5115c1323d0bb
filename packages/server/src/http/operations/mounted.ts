import type { ApiTree, Operation } from '@edge-controller/shared-types';
import { z } from 'zod';
import type { HandlersWith } from '../../core/call.ts';
import { operationId } from '../../documents/openapi/operation-id.ts';
import type { ReadQuery } from './read-query.ts';
import { compileQuery } from './read-query.ts';
import type { Strip } from './strip-response.ts';
import { compileStrip } from './strip-response.ts';

type AnyHandler = (call: never, input: never) => Promise<unknown>;

/** One API with its handlers, no longer typed by operation. Made by `surface`. */
export interface Surface {
  readonly tree: ApiTree;
  readonly handlers: Readonly<Record<string, Readonly<Record<string, AnyHandler>>>>;
}

/** An operation, ready to be called. */
export interface Mounted {
  /** As in the OpenAPI documents: `listIdentities`. */
  readonly id: string;
  readonly operation: Operation;
  readonly handler: (call: unknown, input: unknown) => Promise<unknown>;
  /** Path of the collection that a created entity belongs to: `identities`. */
  readonly collection: string;
  readonly readQuery: ReadQuery | null;
  /** Bytes that the body may have. */
  readonly bodyLimit: number;
  readonly strip: Strip | null;
  /** The JSON of the constant parts of responses (`SplitResponse`), without the closing brace. */
  readonly constantTexts: WeakMap<object, string>;
}

/** Pairs an API with its handlers; a missing one is a compile error that names it. */
export function surface<T extends ApiTree>(tree: T, handlers: HandlersWith<T, never, never>): Surface {
  return { tree, handlers: handlers as unknown as Surface['handlers'] };
}

/**
 * Prepares every operation of an API.
 *
 * @throws Error that names the operation: without handler, without the permission or the document type that it needs, or
 * with a response schema that cannot be stripped
 */
export function mountApi({ tree, handlers }: Surface): readonly Mounted[] {
  return Object.entries(tree).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]) =>
      mountOperation(operation, handlers[resource]?.[verb], { resource, verb }),
    ),
  );
}

/** Bytes of a body, where an operation does not say it itself. */
export const maxBodyLength = 1_048_576;
const anonymousBodyLimit = 16_384;

function mountOperation(
  operation: Operation,
  handler: AnyHandler | undefined,
  { resource, verb }: { readonly resource: string; readonly verb: string },
): Mounted {
  const name = `${resource}.${verb}`;
  const { access, permission, path, query, response, result } = operation;
  if (!handler) throw new Error(`${name} has no handler`);
  if (access === 'admin' && !permission) throw new Error(`${name} is for administrators and names no permission`);
  if (result === 'document' && !operation.produces?.length) throw new Error(`${name} names no type of its document`);
  if (['detail', 'list', 'created'].includes(result) && !response) throw new Error(`${name} has no response schema`);
  return {
    id: operationId(resource, verb, path),
    operation,
    handler: handler as unknown as Mounted['handler'],
    collection: path.slice(1),
    readQuery: query ? compileQuery(query) : null,
    bodyLimit: operation.bodyLimit ?? (access === 'anyone' ? anonymousBodyLimit : maxBodyLength),
    strip: response instanceof z.ZodType ? compileStrip(response, name) : null,
    constantTexts: new WeakMap(),
  };
}
