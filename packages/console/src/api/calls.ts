import type { ApiName } from '@edge-controller/operation-tables';
import { edge } from '../session/edge.ts';

/** A call of the SDK whose types nobody knows: its name comes from a table. */
export type AnyCall = (...args: readonly unknown[]) => Promise<unknown>;

/** The call of an operation: path parameters, then query, headers and body as far as it has them, then `{ signal }`. */
export function callOf(api: ApiName, resource: string, verb: string): AnyCall {
  const calls = edge[api] as unknown as Readonly<Record<string, Readonly<Record<string, AnyCall>>>>;
  const call = calls[resource]?.[verb];
  if (call === undefined) throw new TypeError(`the SDK has no ${api}.${resource}.${verb}`);
  return call;
}
