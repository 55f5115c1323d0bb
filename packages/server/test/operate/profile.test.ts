import { expect, it } from 'vitest';
import { callTree } from '../../../../bench/profile/call-tree.ts';
import { flameGraph } from '../../../../bench/profile/flame-graph.ts';
import { timeByOwner } from '../../../../bench/profile/time-by-owner.ts';

const frame = (functionName: string, url: string) => ({
  ...{ functionName, url, scriptId: '1', lineNumber: 6, columnNumber: 0 },
});
const pnpm = 'file:///app/node_modules/.pnpm';

/** `npm run bench -- profile` reads what V8 has sampled: who was running, and for how many microseconds. */
const root = callTree({
  nodes: [
    { id: 1, callFrame: frame('(root)', ''), children: [2, 3, 4, 7] },
    { id: 2, callFrame: frame('(idle)', '') },
    { id: 3, callFrame: frame('(garbage collector)', '') },
    {
      id: 4,
      callFrame: frame('touch', 'file:///app/packages/server/src/storage/session-store/redis/batched-touch.ts'),
      children: [5, 6],
    },
    { id: 5, callFrame: frame('<exec>', `${pnpm}/@redis+client@5.0.0/node_modules/@redis/client/dist/index.js`) },
    // Native code works for its caller.
    { id: 6, callFrame: frame('writeUtf8String', '') },
    // The same function, optimized.
    {
      id: 7,
      callFrame: frame('touch', 'file:///app/packages/server/src/storage/session-store/redis/batched-touch.ts'),
    },
  ],
  samples: [2, 3, 4, 5, 6, 7],
  timeDeltas: [0, 1_000, 40, 30, 20, 10, 50],
  startTime: 0,
  endTime: 1_150,
});

it('counts the busy time by layer of the server and by package', () => {
  expect(root.total).toBe(150);
  expect(timeByOwner(root)).toEqual([
    ['server/storage', 90],
    ['(garbage collector)', 40],
    ['@redis/client', 20],
  ]);
});

it('draws each function as wide as its time, on its caller', () => {
  const svg = flameGraph(root, 'session checks & others');
  const width = (name: string) => {
    const [, x, y, length] =
      new RegExp(`<title>${name}\\n[^]*?x="([\\d.]+)" y="(\\d+)" width="([\\d.]+)"`).exec(svg) ?? [];
    return { x: Number(x), y: Number(y), share: Number(length) / 1_600 };
  };
  expect(width('touch').share).toBeCloseTo(110 / 150, 3);
  expect(width('&lt;exec>').share).toBeCloseTo(20 / 150, 3);
  expect(width('&lt;exec>').y).toBeLessThan(width('touch').y);
  expect(svg).toContain('batched-touch.ts:7');
  expect(svg).toContain('session checks &amp; others');
  expect(svg).not.toContain('idle');
});
