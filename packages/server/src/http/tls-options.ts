import { constants } from 'node:crypto';
import type { TlsOptions } from 'node:tls';

/** PEM; the chain begins with the server certificate. */
export interface ServerKeys {
  readonly key: string;
  readonly cert: string;
}

/** The longest keys first. */
const tls12 = ['AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-GCM-SHA256'];
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['ECDSA', 'RSA'].flatMap((key) => tls12.map((cipher) => `ECDHE-${key}-${cipher}`)),
];

/**
 * How the controller speaks TLS. It accepts TLS 1.2 and newer, and any client certificate: the certificate is verified
 * when somebody signs in with it. With a `ca`, OpenSSL would hide the intermediate certificates of the client. A resumed
 * TLS session would show the leaf alone, so there are no tickets.
 */
export function tlsOptions(keys: ServerKeys) {
  return {
    ...keys,
    minVersion: 'TLSv1.2',
    ciphers: ciphers.join(':'),
    honorCipherOrder: true,
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
    handshakeTimeout: 10_000,
    requestCert: true,
    rejectUnauthorized: false,
    ca: [] as string[],
  } satisfies TlsOptions;
}

/** As `tlsOptions`, but browsers are not asked for a certificate: they would ask the person which one to send. */
export function browserTlsOptions(keys: ServerKeys): TlsOptions {
  const { key, cert } = keys;
  return { ...tlsOptions({ key, cert }), requestCert: false };
}
