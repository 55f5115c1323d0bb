import type { Fetch } from '../api/fetch.ts';
import { nodeFetch } from '../node/node-fetch.ts';
import { readAuthorities } from '../node/read-authorities.ts';

/** A `fetch` that trusts these CAs. */
export function trustingFetch(ca: string | readonly string[] | undefined, caFile: string | undefined): Fetch {
  return nodeFetch({ ca: readAuthorities({ ca, caFile }) });
}
