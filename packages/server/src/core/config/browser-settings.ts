import { setting } from './setting.ts';
import { text } from './values.ts';

const address = /^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/;
const path = text(/^[^\0]+$/, 'a path');

/** The listener of the browsers. */
export const browserSettings = {
  /** `host:port` of the listener of the browsers. `null`: there is none. */
  browserBind: setting({
    key: 'web.browser.bind',
    env: 'EDGE_BROWSER_BIND',
    default: null,
    ...text(address, 'host:port'),
    description:
      'Address and port of a listener for browsers, such as `0.0.0.0:443`. It serves all that the other one serves, and asks for no client certificate. Default: there is none. The port 0 is any free one, for tests.',
  }),
  /** `host:port` at which browsers reach this listener. `null`: the host of `address`, and the port of `browserBind`. */
  browserAddress: setting({
    key: 'web.browser.address',
    env: 'EDGE_BROWSER_ADDRESS',
    default: null,
    ...text(address, 'host:port'),
    description:
      'Address at which browsers reach `web.browser.bind`. Its version response and the links of the console contain it. Default: the host of `edge.api.address`, and the port of `web.browser.bind`.',
  }),
  /** PEM file with the certificate of this listener and its issuers. `null`: the certificate of the controller. */
  browserCertificate: setting({
    key: 'web.browser.certificate',
    env: 'EDGE_BROWSER_CERTIFICATE',
    default: null,
    ...path,
    description:
      'PEM file with the certificate for `web.browser.bind`, which may be a public one, and its issuers behind it. It is no anchor for client certificates. The file is read again every hour and on SIGHUP. Default: the server certificate of the controller.',
  }),
  /** PEM file with the private key of this certificate. */
  browserKey: setting({
    key: 'web.browser.key',
    env: 'EDGE_BROWSER_KEY',
    default: null,
    ...path,
    description: 'PEM file with the private key of `web.browser.certificate`, without a passphrase.',
  }),
};
