import type { ClientCalls } from './calls.ts';
import { codeToSend } from './code-to-send.ts';
import { EdgeAuthQueryError, isEdgeApiError } from './errors.ts';
import type { CallOptions } from './options.ts';
import type { Session } from './session.ts';

/** A TOTP that waits for its first code. Everything in it is secret and is shown by the controller only until then. */
export interface TotpEnrollment {
  /** `otpauth://totp/…` for authenticator apps. */
  readonly provisioningUrl: string;
  /** The base32 secret of the URL, for typing it in. */
  readonly secret: string;
  /** Codes that each stand in for a TOTP code once, when the authenticator app is lost. */
  readonly recoveryCodes: readonly string[];
  /** The provisioning URL as a QR code, a PNG image. Until `verify` only. */
  qr(options?: CallOptions): Promise<Blob>;
  /**
   * Completes the enrollment with a first code of the authenticator app; recovery codes do not count. From then on each
   * sign-in asks for a code. Resolves to the session, for which the code counts as well.
   *
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code (`isWrongCode(error)`); it may be repeated.
   */
  verify(code: string, options?: CallOptions): Promise<Session>;
}

/**
 * The second factor of the identity that is signed in. The `timeout` of the options counts for each request. Codes are
 * taken as people type them: white space is left out, small letters count as capitals.
 */
export interface Mfa {
  /** Whether the identity has a TOTP with which sign-ins must be confirmed. One that is not verified does not count. */
  isEnabled(options?: CallOptions): Promise<boolean>;
  /**
   * Starts a TOTP, also in a partial session whose policy demands one. One that was started before and never verified
   * is taken up again, with the same secret, while its session lasts.
   *
   * @throws EdgeApiError `MFA_EXISTS` when there is a verified one: `disable` it first.
   * @example
   * const { provisioningUrl, recoveryCodes, qr, verify } = await edge.mfa.enroll();
   * image.src = URL.createObjectURL(await qr());
   * await verify(await ask('The code that the app shows'));
   */
  enroll(options?: CallOptions): Promise<TotpEnrollment>;
  /**
   * Reads the recovery codes that were not used yet.
   *
   * @param code a TOTP code; a recovery code is refused.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a verified TOTP.
   */
  recoveryCodes(code: string, options?: CallOptions): Promise<string[]>;
  /**
   * Replaces all recovery codes. The new ones are read with `recoveryCodes`, which asks for another TOTP code.
   *
   * @param code a TOTP code or a recovery code.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a verified TOTP.
   */
  regenerate(code: string, options?: CallOptions): Promise<void>;
  /**
   * Removes the TOTP. Resolves to the session, which is partial afterwards when the policy demands a TOTP.
   *
   * @param code a TOTP code or a recovery code; only an enrollment that was never verified needs none.
   * @throws EdgeApiError `MFA_INVALID_TOKEN` for a wrong code, `NOT_FOUND` without a TOTP.
   * @example await edge.mfa.disable('123456');
   */
  disable(code?: string, options?: CallOptions): Promise<Session>;
}

interface MfaParts {
  readonly client: ClientCalls;
  readonly session: () => Session | null;
}

export function createMfa({ client, session }: MfaParts): Mfa {
  const mfa = client.currentIdentityMfa;

  /** What a change of the factor makes of the session is for the controller to say. */
  async function sessionAfterwards(options?: CallOptions): Promise<Session> {
    await client.currentApiSession.get(options);
    const now = session();
    if (now === null) throw new EdgeAuthQueryError('NO_SESSION');
    return now;
  }

  return {
    async isEnabled(options) {
      try {
        return (await mfa.get(options)).isVerified;
      } catch (error) {
        if (isEdgeApiError(error, 'NOT_FOUND')) return false;
        throw error;
      }
    },
    async enroll(options) {
      const refusal = await mfa.create(options).then(
        () => null,
        (error: unknown) => error,
      );
      if (refusal !== null && !isEdgeApiError(refusal, 'MFA_EXISTS')) throw refusal;
      const { isVerified, provisioningUrl = '', recoveryCodes } = await mfa.get(options);
      if (refusal !== null && isVerified) throw refusal;
      return {
        provisioningUrl,
        secret: secretOf(provisioningUrl),
        recoveryCodes: recoveryCodes ?? [],
        qr: (own) => mfa.qrCode(own),
        async verify(code, own) {
          await mfa.verify({ code: codeToSend(code) }, own);
          return sessionAfterwards(own);
        },
      };
    },
    recoveryCodes: async (code, options) =>
      (await mfa.recoveryCodes({ 'mfa-validation-code': codeToSend(code) }, options)).recoveryCodes,
    regenerate: async (code, options) => mfa.createRecoveryCodes({ code: codeToSend(code) }, options),
    async disable(code, options) {
      await mfa.delete(code === undefined ? {} : { 'mfa-validation-code': codeToSend(code) }, options);
      return sessionAfterwards(options);
    },
  };
}

/** Not read with `URL`: controllers may leave a `#` in the name unescaped. */
function secretOf(provisioningUrl: string): string {
  return /[?&]secret=([A-Z2-7]+)/i.exec(provisioningUrl)?.[1] ?? '';
}
