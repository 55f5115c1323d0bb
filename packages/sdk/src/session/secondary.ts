import type { SecondaryToken } from '../api/secondary-token.ts';
import type { SecondaryParts, SecondaryTokens } from '../external-jwt/secondary-tokens.ts';

export type Secondary = ReturnType<typeof createSecondary>;

interface LoadingParts extends SecondaryParts {
  readonly loadRest: () => Promise<{ readonly SecondaryTokens: typeof SecondaryTokens }>;
}

/** The JWTs that are second factors. Their code is loaded when the option or an answer has one: most clients need none. */
export function createSecondary(option: SecondaryToken | undefined, { loadRest, ...parts }: LoadingParts) {
  let tokens: SecondaryTokens | null = null;

  async function load(): Promise<SecondaryTokens> {
    const { SecondaryTokens } = await loadRest();
    tokens ??= new SecondaryTokens(option, parts);
    return tokens;
  }

  return {
    load,
    /** `null` when the client has none. */
    current: async (): Promise<SecondaryTokens | null> => (option ? load() : tokens),
  };
}
