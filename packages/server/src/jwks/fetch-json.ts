import type { IncomingMessage } from 'node:http';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Settings } from '../config/schema.ts';
import { formatDuration } from '../lib/duration.ts';
import { parseJson, Unreadable } from '../lib/parse-json.ts';
import type { EndpointPolicy } from './endpoint-problem.ts';
import { endpointProblem } from './endpoint-problem.ts';
import { FetchFailed } from './fetch-failed.ts';

export type FetchSettings = EndpointPolicy & Pick<Settings, 'jwksTimeout' | 'jwksMaxRedirects'>;

export interface FetchOptions {
  readonly settings: FetchSettings;
  /** Gives the addresses to dial. It must have checked them. */
  readonly lookup: LookupFunction;
  /** Ends the fetch. */
  readonly signal: AbortSignal;
}

/** Milliseconds for the name, TCP and TLS. */
const connectTimeout = 2_000;
/** Bytes. */
const maxBody = 262_144;
const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const jsonType = /^\s*(?:application\/json|[\w!#$&^.-]+\/[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;

/**
 * Fetches a JSON document of at most 256 KiB. Each redirect is checked like the URL. Nothing of the controller is sent, no
 * proxy is used, and TLS certificates are verified, whatever the environment says.
 *
 * @throws FetchFailed for everything that goes wrong
 */
export async function fetchJson(url: string, options: FetchOptions): Promise<unknown> {
  const { settings, signal } = options;
  const timeout = AbortSignal.timeout(settings.jwksTimeout);
  const limited = { ...options, signal: AbortSignal.any([timeout, signal]) };
  let target = url;
  try {
    for (let followed = 0; ; followed += 1) {
      const response = await send(target, limited);
      if (!redirects.includes(response.statusCode)) return await readJson(response);
      response.destroy();
      if (followed === settings.jwksMaxRedirects) throw new FetchFailed(`More than ${followed} redirects.`);
      target = redirectOf(target, response.headers.location);
    }
  } catch (error) {
    const text = timeout.aborted ? `No full response within ${formatDuration(settings.jwksTimeout)}.` : textOf(error);
    throw new FetchFailed(`${shownUrl(target)}: ${text}`, { cause: error });
  }
}

function send(target: string, { settings, lookup, signal }: FetchOptions): Promise<IncomingMessage> {
  const problem = endpointProblem(target, settings);
  if (problem !== null) throw new FetchFailed(problem);
  const url = new URL(target);
  const isSecure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (isSecure ? requestHttps : requestHttp)(url, {
    // An agent of its own: the global one may have a proxy and other trust.
    agent: false,
    lookup,
    signal,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
    headers: {
      Accept: 'application/jwk-set+json, application/json',
      'Accept-Encoding': 'identity',
      'User-Agent': 'edge-controller',
    },
  });
  const giveUp = () => request.destroy(new FetchFailed(`No connection within ${formatDuration(connectTimeout)}.`));
  const timer = setTimeout(giveUp, connectTimeout);
  const connected = () => clearTimeout(timer);
  request.once('socket', (socket) => socket.once(isSecure ? 'secureConnect' : 'connect', connected));
  request.once('close', connected).once('response', resolve).on('error', reject).end();
  return promise;
}

function redirectOf(target: string, location: string | undefined): string {
  if (location === undefined || !URL.canParse(location, target))
    throw new FetchFailed('A redirect has no valid target.');
  const next = new URL(location, target);
  if (target.startsWith('https:') && next.protocol === 'http:') {
    throw new FetchFailed('A redirect leads from https to http.');
  }
  return next.href;
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  try {
    checkHead(response);
    return parseJson(await readBody(response));
  } finally {
    response.destroy();
  }
}

function checkHead({ statusCode, headers }: IncomingMessage): void {
  if (statusCode !== 200) throw new FetchFailed(`The status is ${statusCode}, not 200.`);
  if (!jsonType.test(headers['content-type'] ?? '')) throw new FetchFailed('The content type is not JSON.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new FetchFailed('The body is compressed.');
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBody) throw new FetchFailed(`The body has more than ${maxBody / 1_024} KiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function textOf(error: unknown): string {
  if (error instanceof FetchFailed) return error.message;
  if (error instanceof Unreadable) return `The response cannot be used: ${error.message}.`;
  const { code } = error as NodeJS.ErrnoException;
  return `The request failed (${code ?? 'unknown error'}).`;
}

/** A URL without its user name, password and query, which may be secrets. */
export function shownUrl(url: string): string {
  if (!URL.canParse(url)) return 'the URL';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
