import { readFileSync } from 'node:fs';
import type { EdgeClient } from '../client.ts';
import { createEdgeClient as createPlainEdgeClient } from '../client.ts';
import type { EdgeClientOptions } from '../options.ts';
import { nodeFetch } from './node-fetch.ts';

export interface NodeEdgeClientOptions extends EdgeClientOptions {
  /** PEM certificates of the authorities to trust, in place of those of the platform. Not together with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** The same as a path, read when the client is made: `.edge-controller/pki/ca.pem`. */
  readonly caFile?: string | undefined;
}

/**
 * `createEdgeClient` for Node, with a private authority to trust.
 *
 * @throws the error of the file system when `caFile` cannot be read.
 * @example createEdgeClient('https://localhost:1280', { caFile: '.edge-controller/pki/ca.pem' })
 */
export function createEdgeClient(url: string | URL, options: NodeEdgeClientOptions = {}): EdgeClient {
  const { ca, caFile, ...rest } = options;
  const given = ca === undefined ? [] : typeof ca === 'string' ? [ca] : ca;
  const authorities = caFile === undefined ? given : [...given, readFileSync(caFile, 'utf8')];
  if (authorities.length === 0) return createPlainEdgeClient(url, rest);
  if (rest.fetch !== undefined)
    throw new TypeError('ca and caFile have no effect on an own fetch; give one or the other');
  return createPlainEdgeClient(url, { ...rest, fetch: nodeFetch({ ca: authorities }) });
}
