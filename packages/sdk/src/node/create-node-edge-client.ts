import { readFileSync } from 'node:fs';
import type { EdgeClient } from '../client.ts';
import { createEdgeClient as createPlainEdgeClient } from '../client.ts';
import type { EdgeClientOptions } from '../options.ts';
import { nodeFetch } from './node-fetch.ts';

export interface NodeEdgeClientOptions extends EdgeClientOptions {
  /** PEM certificates of the CAs to trust, instead of those of the platform. Cannot be combined with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** Path of a file with such certificates: `.edge-controller/pki/ca.pem`. It is read when the client is created. */
  readonly caFile?: string | undefined;
}

/**
 * `createEdgeClient` for Node. It can trust a private CA.
 *
 * @throws the file system error when `caFile` cannot be read, TypeError when `ca` or `caFile` is combined with `fetch`.
 * @example createEdgeClient('https://localhost:1280', { caFile: '.edge-controller/pki/ca.pem' })
 */
export function createEdgeClient(url: string | URL, options: NodeEdgeClientOptions = {}): EdgeClient {
  const { ca, caFile, ...rest } = options;
  const inline = ca === undefined ? [] : typeof ca === 'string' ? [ca] : ca;
  const authorities = caFile === undefined ? inline : [...inline, readFileSync(caFile, 'utf8')];
  if (authorities.length === 0) return createPlainEdgeClient(url, rest);
  if (rest.fetch !== undefined)
    throw new TypeError('ca and caFile have no effect on a custom fetch; use one or the other');
  return createPlainEdgeClient(url, { ...rest, fetch: nodeFetch({ ca: authorities }) });
}
