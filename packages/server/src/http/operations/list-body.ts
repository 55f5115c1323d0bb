import { Readable } from 'node:stream';
import type { Page } from '../../core/filter/page.ts';
import type { Context } from '../request-state.ts';
import type { Strip } from './strip-response.ts';

/** What the wire says for a list without limit: the largest 64-bit integer, which no JavaScript number holds. */
const noLimit = '9223372036854775807';

/** Characters of a list that are collected before they are written. */
const chunkLength = 65_536;
/** Milliseconds in which a client must take a part of a list. */
const stallLimit = 30_000;

/**
 * The body of a list: text when it is short, else a stream that is written piece by piece, no faster than the client
 * reads. An error before the first piece is thrown, so that it can still be responded to; a later one ends the
 * connection.
 */
export async function listBody(ctx: Context, page: Page<unknown>, strip: Strip | null): Promise<string | Readable> {
  const chunks = chunksOf(page, strip);
  const first = await chunks.next();
  const second = await chunks.next();
  if (second.done) return first.value ?? '';
  const stream = Readable.from(rest([first.value ?? '', second.value], chunks, ctx), { objectMode: false });
  stream.once('close', () => void chunks.return(undefined));
  // The client went away, or the time limit has responded already.
  if (ctx.headerSent || !ctx.writable) stream.destroy();
  return stream;
}

async function* chunksOf(page: Page<unknown>, strip: Strip | null): AsyncGenerator<string, undefined> {
  let text = '{"data":[';
  let separator = '';
  for await (const rows of page.batches) {
    for (const row of rows) {
      text += separator + JSON.stringify(strip ? strip(row) : row);
      separator = ',';
      if (text.length < chunkLength) continue;
      yield text;
      text = '';
    }
  }
  yield text + listEnd(page);
}

/** Everything of a list that follows the rows. */
function listEnd(page: Page<unknown>): string {
  const members: string[] = [];
  if (page.filterableFields?.length) members.push(`"filterableFields":${JSON.stringify(page.filterableFields)}`);
  if (page.pagination) {
    const { limit, offset, totalCount } = page.pagination;
    const limitText = limit === 'none' ? noLimit : String(limit);
    members.push(`"pagination":{"limit":${limitText},"offset":${offset},"totalCount":${totalCount}}`);
  }
  return `],"meta":{${members.join(',')}}}\n`;
}

async function* rest(start: readonly string[], chunks: AsyncGenerator<string>, { res }: Context) {
  let timer: NodeJS.Timeout | undefined;
  const limited = (chunk: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => res.destroy(), stallLimit);
    return chunk;
  };
  try {
    for (const chunk of start) yield limited(chunk);
    for await (const chunk of chunks) yield limited(chunk);
  } finally {
    clearTimeout(timer);
  }
}
