import { originOf } from '../lib/origin-of.ts';
import type { TokenHolder } from '../requests/current-token.ts';
import { currentToken } from '../requests/current-token.ts';

interface AuthorizationParts {
  readonly stored: TokenHolder;
  readonly origins: readonly string[];
  readonly sessionHeader: string;
}

/** The header with the token: see `EdgeClient`. */
export async function authorization(
  { stored, origins, sessionHeader }: AuthorizationParts,
  url: string | URL,
): Promise<Record<string, string>> {
  const origin = originOf(url);
  if (!origins.includes(origin)) {
    throw new TypeError(`${origin} does not get the token: name it in the option "origins"`);
  }
  return { [sessionHeader]: await currentToken(stored) };
}
