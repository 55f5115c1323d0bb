import type { SecondaryToken } from '../api/secondary-token.ts';
import { loadCode } from '../errors/load-code.ts';
import type { SecondaryParts, SecondaryTokens } from '../external-jwt/secondary-tokens.ts';

export type LazySecondary = ReturnType<typeof lazySecondary>;

/** The JWTs that are second factors. Their code is loaded when the option or an answer has one: most clients need none. */
export function lazySecondary(option: SecondaryToken | undefined, parts: SecondaryParts) {
  let tokens: SecondaryTokens | null = null;

  async function load(): Promise<SecondaryTokens> {
    const { SecondaryTokens } = await loadCode(() => import('../external-jwt/secondary-tokens.ts'));
    tokens ??= new SecondaryTokens(option, parts);
    return tokens;
  }

  return {
    load,
    /** `null` when the client has none. */
    current: async (): Promise<SecondaryTokens | null> => (option ? load() : tokens),
  };
}
