import type { SecondaryParts, SecondaryToken, SecondaryTokens } from './secondary-tokens.ts';

export type LazySecondary = ReturnType<typeof lazySecondary>;

/** The JWTs that are second factors. Their code is loaded when the option or an answer has one: most clients need none. */
export function lazySecondary(option: SecondaryToken | undefined, parts: SecondaryParts) {
  let tokens: SecondaryTokens | null = null;

  async function load(): Promise<SecondaryTokens> {
    const { createSecondaryTokens } = await import('./secondary-tokens.ts');
    tokens ??= createSecondaryTokens(option, parts);
    return tokens;
  }

  return {
    load,
    /** `null` when the client has none. */
    current: async (): Promise<SecondaryTokens | null> => (option ? load() : tokens),
  };
}
