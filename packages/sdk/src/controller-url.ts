const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Where the APIs of a controller are. */
export interface ControllerUrl {
  readonly origin: string;
  /** Origin and path prefix, without a slash at the end. */
  readonly base: string;
  readonly apis: { readonly client: string; readonly management: string };
}

/**
 * Reads the address of a controller; the path of an API at its end is cut off.
 *
 * @throws TypeError when it is no URL, carries credentials, or is plain http to another machine: a token sent there
 *   can be read on the way.
 */
export function controllerUrl(address: string | URL): ControllerUrl {
  const url = parse(address);
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('the controller URL must not carry credentials');
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
