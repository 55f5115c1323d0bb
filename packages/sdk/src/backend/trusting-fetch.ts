import { readFile } from 'node:fs/promises';
import { nodeFetch } from '../node/node-fetch.ts';
import type { Fetch } from '../options.ts';

/** A `fetch` that trusts these CAs. */
export async function trustingFetch(ca: readonly string[], caFile: string | undefined): Promise<Fetch> {
  return nodeFetch({ ca: caFile === undefined ? ca : [...ca, await readFile(caFile, 'utf8')] });
}
