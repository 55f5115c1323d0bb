/** A peer sent something in its handshake that OpenSSL must not get. The message says what, for the log. */
export class RefusedHandshake extends Error {
  override readonly name = 'RefusedHandshake';
}
