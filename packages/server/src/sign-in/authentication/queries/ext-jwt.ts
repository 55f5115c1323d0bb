import type { AuthFacts, AuthQuery } from '../../../sessions/auth-state.ts';

/** External JWT. Every request answers it with a valid JWT of the signer in `Authorization`. */
export const extJwt: AuthQuery = {
  isFactor: true,
  isRequired: (facts) => signerIdOf(facts) !== null,
  isOutstanding: ({ secondaryJwt }) => secondaryJwt === null || secondaryJwt.error !== null,
  detail(facts) {
    const { externalAuthUrl, clientId, scopes = null } = facts.secondaryJwt?.signer ?? {};
    return {
      typeId: 'EXT-JWT',
      provider: 'url',
      id: signerIdOf(facts) ?? '',
      ...(externalAuthUrl && { httpUrl: externalAuthUrl }),
      ...(clientId && { clientId }),
      scopes: scopes && [...scopes],
    };
  },
};

function signerIdOf({ policy }: AuthFacts): string | null {
  return policy.secondary.requireExtJwtSigner || null;
}
