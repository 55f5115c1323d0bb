import type { CallOptions } from '../api/call-options.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { Mfa } from '../api/mfa.ts';
import type { Session } from '../api/session.ts';
import { authQueryError } from '../errors/auth-query-error.ts';
import { isEdgeApiError } from '../errors/error-guards.ts';
import { normalizeCode } from './normalize-code.ts';

interface MfaParts {
  readonly client: Pick<ClientCalls, 'currentIdentityMfa' | 'currentApiSession'>;
  readonly manager: { view(): Session | null };
}

export function createMfa({ client, manager }: MfaParts): Mfa {
  const mfa = client.currentIdentityMfa;

  /** Reads the session again, because only the controller knows how a changed factor affects it. */
  async function reloadSession(options?: CallOptions): Promise<Session> {
    await client.currentApiSession.get({}, options);
    const current = manager.view();
    if (current === null) throw authQueryError('NO_SESSION');
    return current;
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
        qr: (callOptions) => mfa.qrCode(callOptions),
        async verify(code, callOptions) {
          await mfa.verify({ code: normalizeCode(code) }, callOptions);
          return reloadSession(callOptions);
        },
      };
    },
    recoveryCodes: async (code, options) =>
      (await mfa.recoveryCodes({ 'mfa-validation-code': normalizeCode(code) }, options)).recoveryCodes,
    regenerate: async (code, options) => mfa.createRecoveryCodes({ code: normalizeCode(code) }, options),
    async disable(code, options) {
      await mfa.delete(code === undefined ? {} : { 'mfa-validation-code': normalizeCode(code) }, options);
      return reloadSession(options);
    },
  };
}

/** Does not use `URL`, because a controller may leave a `#` in the name unescaped. */
function secretOf(provisioningUrl: string): string {
  return /[?&]secret=([A-Z2-7]+)/i.exec(provisioningUrl)?.[1] ?? '';
}
