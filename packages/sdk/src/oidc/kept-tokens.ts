import type { TokenRequest } from '../api/get-token.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import { jwtExpiry } from '../external-jwt/jwt-expiry.ts';
import { systemClock } from '../lib/clock.ts';
import { EdgeOidcError, isEdgeOidcError } from './oidc-error.ts';
import { parsed } from './parsed.ts';
import type { ProviderTokens } from './provider.ts';

interface KeptParts {
  readonly provider: { refresh(refreshToken: string, resource: string | undefined): Promise<ProviderTokens> };
  readonly storage: TokenStorage;
  readonly key: string;
  /** Which token the controller wants. */
  readonly targetToken: string | null | undefined;
  readonly resource: string | undefined;
}

interface Tokens {
  readonly jwt: string;
  readonly refreshToken?: string | undefined;
}

/** The tokens of a person, in a storage. */
export class KeptTokens {
  readonly #parts: KeptParts;
  #refreshing: Promise<string | null> | null = null;

  constructor(parts: KeptParts) {
    this.#parts = parts;
  }

  async keep({ access_token, id_token, refresh_token }: ProviderTokens, before?: Tokens): Promise<string> {
    const { storage, key, targetToken } = this.#parts;
    const jwt = targetToken === 'ID' ? id_token : access_token;
    if (jwt === undefined) throw new EdgeOidcError('NO_TOKEN');
    const tokens: Tokens = { jwt, refreshToken: refresh_token ?? before?.refreshToken };
    await storage.set(key, JSON.stringify(tokens));
    return jwt;
  }

  /** The JWT. Uses the refresh token when it has expired or was refused. */
  async get(reason: TokenRequest['reason']): Promise<string | null> {
    const tokens = parsed<Tokens>(await this.#parts.storage.get(this.#parts.key));
    if (tokens === null) return null;
    const isAlive = systemClock() < jwtExpiry(tokens.jwt);
    if (isAlive && (reason === 'needed' || (reason === 'expired' && tokens.refreshToken === undefined))) {
      return tokens.jwt;
    }
    this.#refreshing ??= this.#refresh(tokens).finally(() => {
      this.#refreshing = null;
    });
    const jwt = await this.#refreshing;
    if (jwt === null) await this.forget();
    return jwt;
  }

  async forget(): Promise<void> {
    await this.#parts.storage.remove(this.#parts.key);
  }

  /** Runs to its end, because the provider may accept each refresh token once. */
  async #refresh(tokens: Tokens): Promise<string | null> {
    const { provider, resource } = this.#parts;
    try {
      return tokens.refreshToken === undefined
        ? null
        : await this.keep(await provider.refresh(tokens.refreshToken, resource), tokens);
    } catch (error) {
      const isOver = isEdgeOidcError(error) && (error.error === 'invalid_grant' || error.code === 'NO_TOKEN');
      if (isOver) return null;
      throw error;
    }
  }
}
