import type { Profiler } from 'node:inspector/promises';
import { ownerOf } from './owner.ts';

/** A function as it was called by its ancestors. Times are microseconds of CPU. */
export interface Frame {
  readonly name: string;
  /** File and line; empty for native code. */
  readonly place: string;
  /** The layer of the server or the package that it belongs to. */
  readonly owner: string;
  readonly children: readonly Frame[];
  /** Spent in the function itself. */
  readonly self: number;
  /** The same and what it called. */
  readonly total: number;
}

/** What V8 shows beside the functions. The process waits in these. */
const waiting = ['(idle)'];

/** The busy time of a CPU profile of V8, from its root. */
export function callTree({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Frame {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const times = new Map<number, number>();
  // The time up to the next sample belongs to a sample.
  for (const [at, id] of samples.entries()) times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[at + 1] ?? 0));

  const frameOf = ({ id, callFrame, children = [] }: Profiler.ProfileNode, callerOwner: string): Frame => {
    const { functionName, url, lineNumber } = callFrame;
    const owner = ownerOf(callFrame) ?? callerOwner;
    const called = children
      .flatMap((child) => byId.get(child) ?? [])
      .filter((node) => !waiting.includes(node.callFrame.functionName))
      .map((node) => frameOf(node, owner));
    const self = times.get(id) ?? 0;
    return {
      ...{ name: functionName || '(anonymous)', place: url && `${url}:${lineNumber + 1}`, owner, self },
      children: merge(called),
      total: called.reduce((sum, { total }) => sum + total, self),
    };
  };
  const [root] = nodes;
  if (!root) throw new Error('the profile is empty');
  return frameOf(root, 'node');
}

/** V8 has several nodes for a function that was optimized meanwhile. */
function merge(frames: readonly Frame[]): Frame[] {
  const groups = Map.groupBy(frames, ({ name, place }) => `${name} ${place}`);
  return [...groups.values()].flatMap((same) => {
    const [first, ...others] = same;
    if (!first || others.length === 0) return same;
    const sum = (member: 'self' | 'total') => same.reduce((all, frame) => all + frame[member], 0);
    return [
      { ...first, self: sum('self'), total: sum('total'), children: merge(same.flatMap(({ children }) => children)) },
    ];
  });
}
