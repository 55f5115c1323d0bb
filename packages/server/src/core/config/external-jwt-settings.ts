import { hour, minute, second, setting } from './setting.ts';
import { addressOrRange, boolean, duration, hostPattern, integer, list } from './values.ts';

const ranges = list(addressOrRange, 'IP addresses and CIDR ranges with a prefix of at least /1, separated by commas');
const hosts = list(hostPattern, 'host names such as idp.example.org or *.example.org, separated by commas');

/** JWTs of external signers, and the JWKS endpoints with the keys of the signers. */
export const externalJwtSettings = {
  /** Milliseconds that the clock of a signer may differ from the clock of the controller. */
  jwtClockTolerance: setting({
    key: 'edge.externalJwtSigners.clockTolerance',
    env: 'EDGE_JWT_CLOCK_TOLERANCE',
    isLive: true,
    default: 30 * second,
    ...duration(0, 5 * minute, '30s'),
    description: 'How much the clock of a signer may differ when `exp`, `nbf` and `iat` of a JWT are checked.',
  }),
  /** Milliseconds from now to the `exp` of a JWT, at most. `null`: no limit. */
  jwtMaxLifetime: setting({
    key: 'edge.externalJwtSigners.maxTokenLifetime',
    env: 'EDGE_JWT_MAX_LIFETIME',
    isLive: true,
    default: null,
    ...duration(minute, 365 * 24 * hour, '24h'),
    description: 'A JWT whose `exp` is further ahead than this is refused. Default: no limit.',
  }),
  /** True: JWKS endpoints must not have a private or loopback address. */
  jwksBlockPrivateAddresses: setting({
    key: 'edge.externalJwtSigners.jwksFetch.blockPrivateAddresses',
    env: 'EDGE_JWKS_BLOCK_PRIVATE_ADDRESSES',
    isLive: true,
    default: false,
    ...boolean,
    description:
      'Refuse JWKS endpoints with private, shared and loopback addresses. Link-local, cloud metadata, unspecified, multicast and broadcast addresses are always refused.',
  }),
  /** IP addresses and CIDR ranges that JWKS endpoints must not have. */
  jwksDeniedIPs: setting({
    key: 'edge.externalJwtSigners.jwksFetch.deniedIPs',
    env: 'EDGE_JWKS_DENIED_IPS',
    isLive: true,
    default: [],
    ...ranges,
    description: 'Addresses that JWKS endpoints must not have.',
  }),
  /** If not empty: the only IP addresses and CIDR ranges that JWKS endpoints may have. */
  jwksAllowedIPs: setting({
    key: 'edge.externalJwtSigners.jwksFetch.allowedIPs',
    env: 'EDGE_JWKS_ALLOWED_IPS',
    isLive: true,
    default: [],
    ...ranges,
    description:
      'The only addresses that JWKS endpoints may have. What another setting refuses, or what is always refused, stays refused. Default: any.',
  }),
  /** Host names that the URLs of JWKS endpoints must not have, in lower case. `*.` stands for all subdomains. */
  jwksDeniedHostnames: setting({
    key: 'edge.externalJwtSigners.jwksFetch.deniedHostnames',
    env: 'EDGE_JWKS_DENIED_HOSTNAMES',
    isLive: true,
    default: [],
    ...hosts,
    description:
      'Host names that the URLs of JWKS endpoints, and their redirects, must not have. `*.` stands for all subdomains.',
  }),
  /** If not empty: the only host names that the URLs of JWKS endpoints may have, in lower case. */
  jwksAllowedHostnames: setting({
    key: 'edge.externalJwtSigners.jwksFetch.allowedHostnames',
    env: 'EDGE_JWKS_ALLOWED_HOSTNAMES',
    isLive: true,
    default: [],
    ...hosts,
    description:
      'The only host names that the URLs of JWKS endpoints, and their redirects, may have. An IP address in a URL must be in the list, too. Default: any.',
  }),
  /** Milliseconds that a JWKS endpoint has for a response with all its redirects. */
  jwksTimeout: setting({
    key: 'edge.externalJwtSigners.jwksFetch.timeout',
    env: 'EDGE_JWKS_TIMEOUT',
    isLive: true,
    default: 5 * second,
    ...duration(100, minute, '5s'),
    description:
      'Time for a JWKS to arrive, redirects included. TLS certificates are verified: `NODE_EXTRA_CA_CERTS` has the path of a PEM file with private CAs to trust.',
  }),
  /** How many redirects of a JWKS endpoint are followed. 0: none. */
  jwksMaxRedirects: setting({
    key: 'edge.externalJwtSigners.jwksFetch.maxRedirects',
    env: 'EDGE_JWKS_MAX_REDIRECTS',
    isLive: true,
    default: 5,
    ...integer(0, 10),
    description: 'How many redirects of a JWKS endpoint are followed. Each is checked like the endpoint.',
  }),
};
