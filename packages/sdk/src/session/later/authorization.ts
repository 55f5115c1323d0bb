import { originOf } from '../../already-loaded.ts';
import type { TokenHolder } from '../../requests/later/current-token.ts';
import { currentToken } from '../../requests/later/current-token.ts';

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
