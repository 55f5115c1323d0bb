/** Lines in the order of their bytes, each with `\n` or `\r\n` at its end. They may be in memory or in a file. */
export interface SortedLines {
  /** Bytes of all lines. */
  readonly size: number;
  /** The bytes from `start` to `end`, fewer at the end of the lines. */
  read(start: number, end: number): Buffer | Promise<Buffer>;
}

/** Bytes that are read at once. No line may have more. */
const blockSize = 1_024;

/**
 * Finds the first line that is not below a wanted one, with a binary search, and returns it without its end. `compare` gets a
 * line and is negative when the line is below the wanted one. Returns `null` when all lines are below it.
 */
export async function findLine(lines: SortedLines, compare: (line: Buffer) => number): Promise<Buffer | null> {
  // The line that is looked for begins at `from` or later, and not behind `to`.
  let from = 0;
  let to = lines.size;
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    const line = await lineAfter(lines, middle, from);
    if (line === null || line.start >= to || compare(line.bytes) >= 0) to = middle;
    else from = line.end;
  }
  return (await lineAfter(lines, from, from))?.bytes ?? null;
}

/** The first line that begins at `position` or later. A line is known to begin at `known`. */
export async function lineAfter({ read, size }: SortedLines, position: number, known: number) {
  let start = position;
  if (position > known) {
    const before = await read(position - 1, position - 1 + blockSize);
    const newline = before.indexOf('\n');
    if (newline < 0) return null;
    start = position + newline;
  }
  if (start >= size) return null;
  const block = await read(start, start + blockSize);
  const newline = block.indexOf('\n');
  const length = newline < 0 ? block.length : newline;
  const bytes = block.subarray(0, block[length - 1] === 0x0d ? length - 1 : length);
  return { start, end: start + length + 1, bytes };
}
