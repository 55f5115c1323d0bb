import type { CallOptions } from './call-options.ts';
import type { ClientKeys, KeyType } from './client-keys.ts';
import type { EnrollmentMethod } from './enrollment-method.ts';

/**
 * The enrollment to redeem: the JWT from the administrator, or only the one-time token in it. A token without `method`
 * is of method `updb` when there is a password, otherwise `ott`.
 */
export type Enrollment =
  | string
  | { readonly jwt: string }
  | { readonly token: string; readonly method?: EnrollmentMethod };

/**
 * What an enrollment needs besides the token.
 *
 * @example
 * const options: EnrollOptions = { password };
 * const { username } = await edge.enroll(jwt, options);
 */
export interface EnrollOptions extends CallOptions {
  /** `updb`: the password to set. */
  readonly password?: string | undefined;
  /** `updb`: ignored by the controller, which knows the user name. */
  readonly username?: string | undefined;
  /** `ott`: the key of the identity, in PKCS#8 PEM or as a key pair of WebCrypto. Default: a new key. */
  readonly key?: string | ClientKeys | undefined;
  /** `ott`: the type of a new key. Default `ec` (P-256). */
  readonly keyType?: KeyType | undefined;
  /** `ca`: the name that the identity asks for. Some CAs ignore it. */
  readonly name?: string | undefined;
}

/** What identifies a client to a controller. All texts are PEM. `key` is a secret. */
export interface ClientIdentity {
  /** Address of the controller. */
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  /** The certificate, then its intermediates. */
  readonly cert?: string | undefined;
  /** The CA certificates of the controller, to verify its TLS certificate. */
  readonly ca?: string | undefined;
}

/** The result of an enrollment. */
export interface EnrolledIdentity extends ClientIdentity {
  /** Address of the controller that has redeemed the enrollment. */
  readonly url: string;
  readonly method: EnrollmentMethod;
  /** Id of the identity. Only when the JWT has it. */
  readonly id?: string;
  /** `updb`: the user name to sign in with. */
  readonly username?: string;
}

/**
 * Redeems an enrollment.
 *
 * - `ott`: makes a key and a certificate signing request; returns `key`, `cert` and `ca`. `key` is missing when the
 *   given key cannot be exported.
 * - `ottca`, `ca`: the connection must present the certificate of the client; returns `ca`
 * - `updb`: sets the password; returns `username`
 *
 * The JWT is read, not verified: TLS authenticates the controller. A client with several controllers first looks for
 * one that responds, and the result names it: it works now, and the first one may not.
 *
 * @throws EdgeEnrollmentError, EdgeApiError, EdgeNetworkError, EdgeTlsError; TypeError when an option is missing
 */
export type Enroll = (enrollment: Enrollment, options?: EnrollOptions) => Promise<EnrolledIdentity>;
