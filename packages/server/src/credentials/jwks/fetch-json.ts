import type { IncomingMessage } from 'node:http';
import { RefusedHandshake } from '@edge-controller/handshake-guard';
import type { Settings } from '../../core/config/schema.ts';
import { formatDuration } from '../../core/time/duration.ts';
import type { EndpointPolicy } from './endpoint-problem.ts';
import { endpointProblem } from './endpoint-problem.ts';
import { FetchFailed } from './fetch-failed.ts';
import type { RequestParts } from './open-request.ts';
import { readBody } from './read-body.ts';
import { sendRequest } from './send-request.ts';

export type FetchSettings = EndpointPolicy & Pick<Settings, 'jwksTimeout' | 'jwksMaxRedirects'>;

/** `signal` ends the fetch. */
export interface FetchOptions extends RequestParts {
  readonly settings: FetchSettings;
}

const redirects: readonly (number | undefined)[] = [301, 302, 303, 307, 308];
const jsonType = /^\s*(?:application\/json|[\w!#$&^.-]+\/[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;

/**
 * Fetches a JSON document of at most 1 MiB, and returns its bytes without parsing them. It checks each redirect like the URL,
 * sends nothing of the controller, uses no proxy and verifies TLS certificates, whatever the environment says.
 *
 * It ends within the time of the settings, whatever the other side does.
 *
 * @throws FetchFailed for everything that goes wrong
 */
export async function fetchJson(url: string, options: FetchOptions): Promise<Buffer> {
  const { settings, signal } = options;
  const timeout = AbortSignal.timeout(settings.jwksTimeout);
  const ended = AbortSignal.any([timeout, signal]);
  const visited = { url };
  try {
    return await unlessAborted(ended, () => follow(visited, { ...options, signal: ended }));
  } catch (error) {
    const text = timeout.aborted ? `No full response within ${formatDuration(settings.jwksTimeout)}.` : textOf(error);
    throw new FetchFailed(`${redactedUrl(visited.url)}: ${text}`, { cause: error });
  }
}

/** Rejects at the abort, even if the work does not notice it: a connection may end without an event. */
function unlessAborted<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new FetchFailed('The fetch was stopped.'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return Promise.race([work(), promise]);
}

/** Follows redirects to the document. `visited` has the URL that was asked last. */
async function follow(visited: { url: string }, { settings, ...parts }: FetchOptions): Promise<Buffer> {
  for (let followed = 0; ; followed += 1) {
    const { url } = visited;
    const problem = endpointProblem(url, settings);
    if (problem !== null) throw new FetchFailed(problem);
    const response = await sendRequest(new URL(url), parts);
    if (!redirects.includes(response.statusCode)) return await readDocument(response);
    response.destroy();
    if (followed === settings.jwksMaxRedirects) throw new FetchFailed(`More than ${followed} redirects.`);
    visited.url = redirectOf(url, response.headers.location);
  }
}

function redirectOf(url: string, location: string | undefined): string {
  if (location === undefined || !URL.canParse(location, url)) throw new FetchFailed('A redirect has no valid target.');
  const next = new URL(location, url);
  if (url.startsWith('https:') && next.protocol === 'http:') {
    throw new FetchFailed('A redirect leads from https to http.');
  }
  return next.href;
}

async function readDocument(response: IncomingMessage): Promise<Buffer> {
  try {
    checkHead(response);
    return await readBody(response);
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

function textOf(error: unknown): string {
  if (error instanceof FetchFailed) return error.message;
  if (error instanceof RefusedHandshake) return `The TLS handshake was refused: ${error.message}.`;
  const { code } = error as NodeJS.ErrnoException;
  return `The request failed (${code ?? 'unknown error'}).`;
}

/** A URL without its user name, password and query, which may be secrets. */
export function redactedUrl(url: string): string {
  if (!URL.canParse(url)) return 'the URL';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
