import type { Frame } from './call-tree.ts';

/** The microseconds that each layer and package spent in its own functions, the longest first. */
export function timeByOwner(root: Frame): [string, number][] {
  const times = new Map<string, number>();
  const add = ({ owner, self, children }: Frame) => {
    if (self > 0) times.set(owner, (times.get(owner) ?? 0) + self);
    for (const child of children) add(child);
  };
  add(root);
  return [...times].toSorted(([, a], [, b]) => b - a);
}
