const requestHeaders = ['accept', 'content-type', 'mfa-validation-code', 'traceparent', 'tracestate'];
const responseHeaders = [
  ...['content-type', 'content-disposition', 'www-authenticate', 'retry-after', 'ratelimit-remaining'],
  ...['svc-session-expires-in', 'expiration-seconds', 'expires-at', 'ziti-authenticator-extend-requested'],
];
/** The JWTs of external signers. Passwords that a browser sends by itself are none. */
const jwts = /^Bearer [\w.-]+(, ?Bearer [\w.-]+)*$/;

/** The headers that the proxy passes to the controller. A cookie is not among them. */
export function passedRequestHeaders(headers: Headers): Record<string, string> {
  const authorization = headers.get('authorization') ?? '';
  return { ...picked(headers, requestHeaders), ...(jwts.test(authorization) && { authorization }) };
}

/** The headers of the response to a page, without those that only the connection to the controller has. */
export function passedResponseHeaders(headers: Headers): Headers {
  return new Headers({ ...picked(headers, responseHeaders), ...ownHeaders });
}

/** No cache keeps the response, and a browser that is led to it shows it as data. */
export const ownHeaders = {
  'cache-control': 'no-store',
  vary: 'cookie, svc-session',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
} as const;

function picked(headers: Headers, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
