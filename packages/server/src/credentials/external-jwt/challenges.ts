import type { TokenError } from '../../core/text/challenge.ts';
import { challenge } from '../../core/text/challenge.ts';
import type { TrustedSigner } from './trusted-signers.ts';

type Named = Pick<TrustedSigner, 'id' | 'issuer'>;

/** Characters. Clients refuse responses with too long headers. */
const maxLength = 4_096;

/** `WWW-Authenticate` for a refused sign-in with an external JWT. It names the enabled signers, as many as fit. */
export function primaryChallenge(error: TokenError, signers: readonly Named[]): string {
  let length = 0;
  const shown = signers.filter(({ id, issuer }) => {
    length += id.length + issuer.length + 2;
    return length <= maxLength;
  });
  return signersChallenge('openziti-primary-ext-jwt', error, shown);
}

/** `WWW-Authenticate` for an API session that lacks the JWT of its auth policy. */
export function secondaryChallenge(error: TokenError, signer: Named | null): string {
  return signersChallenge('openziti-secondary-ext-jwt', error, signer ? [signer] : []);
}

function signersChallenge(realm: string, error: TokenError, signers: readonly Named[]): string {
  const list = (member: keyof Named) => signers.map((signer) => signer[member]).join('|');
  return challenge({ scheme: 'Bearer', realm, error, parameters: { id: list('id'), issuer: list('issuer') } });
}
