import { isEdgeOidcError } from '@edge-controller/sdk/oidc';
import { explainJwt } from '../explain-jwt.ts';
import { returnPath } from './return-path.ts';

/** Why the sign-in at a provider failed, for a person. */
export function explainProvider(error: unknown): string {
  if (!isEdgeOidcError(error)) return explainJwt(error);
  switch (error.code) {
    case 'REFUSED':
      return error.error === 'access_denied'
        ? 'You have not signed in at the provider.'
        : `The provider refused the sign-in: ${error.error}.`;
    case 'UNREACHABLE':
      return `The provider cannot be reached from this page. It must allow the origin ${location.origin}.`;
    case 'NOT_CONFIGURED':
      return 'The signer has no client, or no secure address of its provider.';
    case 'NO_TOKEN':
      return 'The provider has issued no token of the kind that the signer wants.';
    default:
      return `The response of the provider is not right. It must know the address ${location.origin}${returnPath}.`;
  }
}
