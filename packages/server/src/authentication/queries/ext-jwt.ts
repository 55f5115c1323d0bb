import type { AuthFacts, AuthQuery } from '../../sessions/auth-state.ts';

/** External JWT (specification 5.3). Every request answers it with a valid JWT of the signer in `Authorization`. */
export const extJwt: AuthQuery = {
  isRequired: (facts) => signerOf(facts) !== null,
  isOutstanding: (facts) => !facts.provenSigners.has(signerOf(facts) ?? ''),
  detail: (facts) => ({ typeId: 'EXT-JWT', provider: 'url', id: signerOf(facts) ?? '', scopes: null }),
};

function signerOf({ policy }: AuthFacts): string | null {
  return policy.secondary.requireExtJwtSigner ?? null;
}
