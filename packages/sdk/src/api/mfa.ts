import type { CallOptions } from './call-options.ts';
import type { Session } from './session.ts';

/**
 * A TOTP that is not verified yet. All its values are secret. The controller returns them only until it is verified.
 *
 * @example
 * const totp = await edge.mfa.enroll();
 * image.src = URL.createObjectURL(await totp.qr());
 * await totp.verify(await ask('The code that the app shows'));
 */
export interface TotpEnrollment {
  /** `otpauth://totp/…` for authenticator apps. */
  readonly provisioningUrl: string;
  /** The base32 secret of the URL, to type it in by hand. */
  readonly secret: string;
  /** Codes for a person who has lost the authenticator app. Each replaces a TOTP code once. */
  readonly recoveryCodes: readonly string[];
  /** The provisioning URL as a QR code (PNG image). Works only until `verify`. */
  qr(options?: CallOptions): Promise<Blob>;
  /**
   * Completes the enrollment with the first code of the authenticator app; a recovery code is refused. From then on
   * every sign-in asks for a code. Resolves to the session; the code also answers its MFA query.
   *
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code (`isWrongCode(error)`); another code may be tried.
   */
  verify(code: string, options?: CallOptions): Promise<Session>;
}

/**
 * The second factor of the signed-in identity. The `timeout` of the options applies to each request. The SDK removes
 * white space from codes and converts letters to upper case.
 */
export interface Mfa {
  /** Whether the identity has a verified TOTP, so that its sign-ins ask for a code. */
  isEnabled(options?: CallOptions): Promise<boolean>;
  /**
   * Starts the enrollment of a TOTP. This also works in a partial session whose policy requires a TOTP. If this session
   * has started an enrollment before and not verified it, that enrollment continues with the same secret.
   *
   * @throws EdgeApiError `MFA_EXISTS` when the identity has a verified TOTP: call `disable` first.
   * @example
   * const { provisioningUrl, recoveryCodes, qr, verify } = await edge.mfa.enroll();
   * image.src = URL.createObjectURL(await qr());
   * await verify(await ask('The code that the app shows'));
   */
  enroll(options?: CallOptions): Promise<TotpEnrollment>;
  /**
   * Reads the unused recovery codes.
   *
   * @param code a TOTP code; a recovery code is refused.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a verified TOTP.
   */
  recoveryCodes(code: string, options?: CallOptions): Promise<string[]>;
  /**
   * Replaces all recovery codes. Read the new ones with `recoveryCodes`, which needs another TOTP code.
   *
   * @param code a TOTP code or a recovery code.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a verified TOTP.
   */
  regenerate(code: string, options?: CallOptions): Promise<void>;
  /**
   * Removes the TOTP. Resolves to the session, which is partial afterwards when the policy requires a TOTP.
   *
   * @param code a TOTP code or a recovery code. Leave it out only for an enrollment that was never verified.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a TOTP.
   * @example await edge.mfa.disable('123456');
   */
  disable(code?: string, options?: CallOptions): Promise<Session>;
}
