import type { Fetch } from '../api/fetch.ts';
import { nodeFetch } from '../node/node-fetch.ts';
import { readAuthorities } from '../node/read-authorities.ts';

interface Authorities {
  readonly ca: string | readonly string[] | undefined;
  readonly caFile: string | undefined;
}

/** Returns a function that gives a `fetch` which trusts these CAs. It reads the file when it is first called. */
export function trustingFetch(authorities: Authorities): () => Fetch {
  let fetch: Fetch | null = null;
  return () => {
    // A file that cannot be read now may be there later.
    fetch ??= nodeFetch({ ca: readAuthorities(authorities) });
    return fetch;
  };
}
