import type { ApiName } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';

/** A call of the SDK whose types nobody knows: its name comes from the command line. */
export type AnyCall = (...args: readonly unknown[]) => Promise<unknown>;

/** The call of an operation. */
export function callOf(edge: NodeEdgeClient, api: ApiName, resource: string, verb: string): AnyCall {
  const calls = edge[api] as unknown as Readonly<Record<string, Readonly<Record<string, AnyCall>>>>;
  const call = calls[resource]?.[verb];
  if (call === undefined) throw new TypeError(`the SDK has no ${api}.${resource}.${verb}`);
  return call;
}
