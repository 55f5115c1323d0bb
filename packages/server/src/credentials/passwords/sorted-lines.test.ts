import { describe, expect, it } from 'vitest';
import { findLine } from './sorted-lines.ts';

/** Finds a line in lines that are read in parts, as from a file. */
async function found(lines: readonly string[], wanted: string, end = '\n'): Promise<string | undefined> {
  const bytes = Buffer.from(lines.map((line) => line + end).join(''));
  const read = async (start: number, to: number) => bytes.subarray(start, to);
  const line = await findLine({ size: bytes.length, read }, (at) => Buffer.compare(at, Buffer.from(wanted)));
  return line?.toString();
}

describe('sorted lines', () => {
  it.each(['\n', '\r\n'])('finds each line, however many there are, and none that is not there (%j)', async (end) => {
    for (const count of [1, 2, 3, 10, 1_000]) {
      const lines = Array.from(
        { length: count },
        (_, at) => `${String(at * 2).padStart(5, '0')}${'x'.repeat(at % 90)}`,
      );
      for (const line of lines) expect(await found(lines, line, end)).toBe(line);
      expect(await found(lines, '00001', end)).toBe(lines[1]);
      expect(await found(lines, '', end)).toBe(lines[0]);
      expect(await found(lines, 'z', end)).toBeUndefined();
    }
    expect(await found([], 'z', end)).toBeUndefined();
  });

  it('reads few parts of many lines', async () => {
    const line = (at: number) => `${String(at).padStart(15, '0')}\n`;
    let reads = 0;
    const read = (start: number) => {
      reads += 1;
      const first = Math.floor(start / 16);
      const block = Array.from({ length: 65 }, (_, at) => line(first + at)).join('');
      return Buffer.from(block).subarray(start % 16);
    };
    const wanted = line(123_456_789).trimEnd();
    const compare = (at: Buffer) => Buffer.compare(at, Buffer.from(wanted));
    expect((await findLine({ size: 16 * 10 ** 9, read }, compare))?.toString()).toBe(wanted);
    expect(reads).toBeLessThan(100);
  });
});
