const loopback = ['localhost', '127.0.0.1', '[::1]'];

/** The addresses of a controller and its APIs. */
export interface ControllerUrl {
  readonly origin: string;
  /** Origin and path prefix, without a trailing slash. */
  readonly base: string;
  readonly apis: { readonly client: string; readonly management: string };
}

export type Api = keyof ControllerUrl['apis'];

/**
 * Parses the addresses of one or more controllers of the same network.
 *
 * @throws TypeError when there is none, and see `controllerUrl`.
 */
export function controllerUrls(
  addresses: string | URL | readonly (string | URL)[],
): [ControllerUrl, ...ControllerUrl[]] {
  const [first, ...others] = [addresses].flat().map(controllerUrl);
  if (first === undefined) throw new TypeError('the list of controller URLs is empty');
  return [first, ...others];
}

/**
 * Parses the address of a controller. It removes the path of an API at the end.
 *
 * @throws TypeError when the address is not an absolute URL, contains credentials, or uses plain http to another
 *   machine, where others on the network could read the token.
 */
export function controllerUrl(address: string | URL): ControllerUrl {
  const text = String(address);
  // `localhost:1280` would be a URL with the scheme `localhost`.
  if (!/^\w+:\/\//.test(text) || !URL.canParse(text)) {
    const host = /^[\w.:[\]-]+(\/.*)?$/.test(text) ? text : 'localhost:1280';
    throw new TypeError(`the controller URL must be absolute: write https://${host}`);
  }
  const { protocol, username, password, hostname, host, origin, pathname } = new URL(text);
  if (username + password) throw new TypeError('the controller URL must not contain credentials');
  if (protocol !== 'https:' && !(protocol === 'http:' && loopback.includes(hostname))) {
    throw new TypeError(`the controller URL must be https:, got ${protocol}//${host}`);
  }
  const base = origin + pathname.replace(/\/edge\/(client|management)(\/.*)?$/, '').replace(/\/+$/, '');
  return { origin, base, apis: { client: `${base}/edge/client/v1`, management: `${base}/edge/management/v1` } };
}
