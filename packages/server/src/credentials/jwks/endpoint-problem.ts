import { isIP } from 'node:net';
import type { Settings } from '../../core/config/schema.ts';
import { hostOf, isPlainHttp } from '../../core/text/local-host.ts';
import type { AddressPolicy } from './address-problem.ts';
import { addressProblem } from './address-problem.ts';

/** What decides which URLs are fetched. */
export type EndpointPolicy = AddressPolicy &
  Pick<Settings, 'jwksDeniedHostnames' | 'jwksAllowedHostnames' | 'strictTransport'>;

/**
 * Why a JWKS is never fetched from a URL, as a sentence for the client, or `null`. It looks nothing up: the addresses of
 * a host name are checked when it is dialed.
 */
export function endpointProblem(url: string, policy: EndpointPolicy): string | null {
  if (!URL.canParse(url)) return 'The URL is not valid.';
  const { protocol, username, password, hostname } = new URL(url);
  const host = hostOf({ hostname });
  if (protocol !== 'https:' && protocol !== 'http:') return 'The URL must begin with https:// or http://.';
  if (username !== '' || password !== '') return 'The URL must not have a user name or a password.';
  if (policy.strictTransport && isPlainHttp(url))
    return 'The URL must begin with https://: edge.strictTransport is set.';
  const problem = hostProblem(host, policy) ?? (isIP(host) ? addressProblem(host, policy) : null);
  return problem === null ? null : `The host ${host} ${problem}.`;
}

function hostProblem(host: string, { jwksDeniedHostnames, jwksAllowedHostnames }: EndpointPolicy): string | null {
  const isIn = (patterns: readonly string[]) => patterns.some((pattern) => fits(host, pattern));
  if (isIn(jwksDeniedHostnames)) return 'is in the list of denied host names';
  if (jwksAllowedHostnames.length === 0 || isIn(jwksAllowedHostnames)) return null;
  return 'is not in the list of allowed host names';
}

function fits(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}
