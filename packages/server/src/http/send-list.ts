import { once } from 'node:events';
import type { Page } from '../stores/page.ts';
import type { Cut } from './cut.ts';
import { listEnd } from './envelope.ts';
import type { Exchange } from './exchange.ts';
import { send, writeHead } from './exchange.ts';

/** Characters of a list that are collected before they are written. */
const chunkSize = 65_536;
/** Milliseconds in which a client must take a part of a list. */
const stallLimit = 30_000;

/** Thrown when a list broke off after its head was sent: the connection is then cut. */
export class ListBrokenOff extends Error {
  override readonly name = 'ListBrokenOff';
}

/**
 * Sends a list. Rows without limit or from an asynchronous source are written piece by piece, no faster than the client
 * reads. An error before the first piece is thrown as it is, so that it can still be answered.
 */
export async function sendList(exchange: Exchange, page: Page<unknown>, cut: Cut | null): Promise<void> {
  const { rows } = page;
  if (Symbol.asyncIterator in rows || page.pagination?.limit === 'none') return stream(exchange, page, cut);
  const texts: string[] = [];
  for (const row of rows) texts.push(JSON.stringify(cut ? cut(row) : row));
  send(exchange, 200, `{"data":[${texts.join(',')}${listEnd(page)}`);
}

async function stream(exchange: Exchange, page: Page<unknown>, cut: Cut | null): Promise<void> {
  const { response } = exchange;
  let text = '{"data":[';
  let separator = '';
  let started = false;
  try {
    for await (const row of page.rows) {
      text += separator + JSON.stringify(cut ? cut(row) : row);
      separator = ',';
      if (text.length < chunkSize) continue;
      if (!started) {
        if (exchange.answered) return;
        writeHead(exchange, 200, [], true);
        started = true;
      }
      if (response.destroyed) return;
      if (!response.write(text)) await drained(exchange);
      text = '';
    }
  } catch (error) {
    if (!started) throw error;
    response.destroy();
    throw new ListBrokenOff('a list broke off', { cause: error });
  }
  text += listEnd(page);
  if (started) response.end(text);
  else send(exchange, 200, text);
}

async function drained({ response }: Exchange): Promise<void> {
  const stop = new AbortController();
  const timer = setTimeout(() => response.destroy(), stallLimit);
  const { signal } = stop;
  try {
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]);
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}
