import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from './create-logger.ts';
import { GroupedLines } from './grouped-lines.ts';

let written: { reason?: string; count?: number; msg: string }[];
let lines: GroupedLines;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  written = [];
  const destination = { write: (line: string) => void written.push(JSON.parse(line)) };
  lines = new GroupedLines(createLogger({ level: 'warn', destination }));
});
afterEach(() => {
  vi.useRealTimers();
});

const minute = () => vi.advanceTimersByTime(60_000);
const refuse = (reason: string, times = 1) => {
  for (let at = 0; at < times; at++) lines.warn(reason, { reason, at }, 'refused');
};

it('writes the first of a kind at once, and the number of the others once a minute', () => {
  refuse('a', 100_000);
  refuse('b');
  expect(written).toMatchObject([{ reason: 'a', at: 0 }, { reason: 'b' }]);
  minute();
  expect(written.slice(2)).toMatchObject([{ reason: 'a', at: 99_999, count: 99_999, msg: 'refused' }]);
  refuse('a', 3);
  minute();
  expect(written.slice(3)).toMatchObject([{ reason: 'a', count: 3 }]);
  minute();
  refuse('a');
  expect(written.slice(4)).toEqual([expect.objectContaining({ reason: 'a', at: 0 })]);
  lines.close();
});

it('writes few lines for any number of kinds, and the rest when it is closed', () => {
  for (let kind = 0; kind < 1_000; kind++) refuse(`kind ${kind}`);
  expect(written).toHaveLength(51);
  lines.close();
  expect(written).toHaveLength(52);
  expect(written.at(-1)).toMatchObject({ count: 949 });
  minute();
  expect(vi.getTimerCount()).toBe(0);
});
