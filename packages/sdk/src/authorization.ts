import type { ClientCore } from './client-core.ts';
import { currentToken } from './current-token.ts';
import { originOf } from './shared.ts';

/** The header with the token: see `EdgeClient`. */
export async function authorization(core: ClientCore, url: string | URL): Promise<Record<string, string>> {
  const origin = originOf(url);
  if (!core.origins.includes(origin)) {
    throw new TypeError(`${origin} does not get the token: name it in the option "origins"`);
  }
  return { [core.sessionHeader]: await currentToken(core) };
}
