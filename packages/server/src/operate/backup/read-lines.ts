import { Unusable } from './unusable.ts';

const lineFeed = 0x0a;
/** No row is that long. */
const maxBytes = 64 * 2 ** 20;

/**
 * The lines of a file, with their ends: in a whole file the last one has one, too. The memory is bounded by the longest line.
 *
 * @throws Unusable for a line that is too long or has no end
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      const rest = chunk.subarray(start, end + 1);
      yield parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
      parts = [];
      length = 0;
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
    length += chunk.length - start;
    if (length > maxBytes) throw new Unusable('it has a line that is too long');
  }
  if (length > 0) throw new Unusable('its last line is cut');
}
