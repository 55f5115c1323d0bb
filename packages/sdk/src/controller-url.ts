const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The addresses of a controller and its APIs. */
export interface ControllerUrl {
  readonly origin: string;
  /** Origin and path prefix, without a trailing slash. */
  readonly base: string;
  readonly apis: { readonly client: string; readonly management: string };
}

/**
 * Parses the address of a controller. It removes the path of an API at the end.
 *
 * @throws TypeError when the address is not an absolute URL, contains credentials, or uses plain http to another
 *   machine, where others on the network could read the token.
 */
export function controllerUrl(address: string | URL): ControllerUrl {
  const url = parse(address);
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the controller URL must not contain credentials');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback.has(url.hostname))) {
    throw new TypeError(`the controller URL must be https:, got ${url.protocol}//${url.host}`);
  }
  const prefix = url.pathname.replace(/\/edge\/(client|management)(\/.*)?$/, '').replace(/\/+$/, '');
  const base = url.origin + prefix;
  return {
    origin: url.origin,
    base,
    apis: { client: `${base}/edge/client/v1`, management: `${base}/edge/management/v1` },
  };
}

function parse(address: string | URL): URL {
  try {
    return new URL(address);
  } catch {
    throw new TypeError('the controller URL must be absolute, for example https://localhost:1280');
  }
}
