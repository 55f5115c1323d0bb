import type { KeyObject } from 'node:crypto';
import { createPublicKey, X509Certificate } from 'node:crypto';
import type { DataEvent, PublicKey } from '@edge-controller/router-messages';
import { DataAction, KeyFormat, KeyUsage } from '@edge-controller/router-messages';
import { compactVerify, decodeJwt, decodeProtectedHeader } from 'jose';
import type { Clock } from '../clock.ts';

/** What a router reads of the JWT of a session. */
export interface SessionClaims {
  /** `jti` */
  readonly sessionId: string;
  /** `z_st` */
  readonly type: string;
}

/** A JWT that a router does not accept. The application gets the message. */
export class RefusedToken extends Error {
  override readonly name = 'RefusedToken';
}

const unknownKey = 'token is unverifiable: error while executing keyfunc: public key not found';

/** The public keys that the controller signs the JWTs of sessions with, and the CAs whose certificates applications may have. */
export class SessionKeys {
  readonly #anchors = new Map<string, X509Certificate>();
  readonly #clock: Clock;
  readonly #byId = new Map<string, { readonly publicKey: PublicKey; readonly key: KeyObject }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get ids(): readonly string[] {
    return [...this.#byId.keys()];
  }

  get all(): readonly PublicKey[] {
    return [...this.#byId.values()].map(({ publicKey }) => publicKey);
  }

  replaceAll(events: readonly DataEvent[]): void {
    this.#byId.clear();
    this.#anchors.clear();
    this.apply(events);
  }

  apply(events: readonly DataEvent[]): void {
    for (const { action, publicKey } of events) {
      if (publicKey && action === DataAction.DELETE) {
        this.#byId.delete(publicKey.kid.trim());
        this.#anchors.delete(publicKey.kid.trim());
      } else if (publicKey) this.add(publicKey);
    }
  }

  add(publicKey: PublicKey): void {
    if (publicKey.usages.includes(KeyUsage.CLIENT_X509_VALIDATION)) {
      this.#anchors.set(publicKey.kid.trim(), new X509Certificate(publicKey.data));
    }
    if (!publicKey.usages.includes(KeyUsage.JWT_VALIDATION)) return;
    const key = readKey(publicKey);
    if (key) this.#byId.set(publicKey.kid.trim(), { publicKey, key });
  }

  /** Whether one of the CAs has issued the first certificate, or one of the others that lead from it to a CA. */
  haveIssued([leaf, ...others]: readonly X509Certificate[]): boolean {
    if (!leaf) return false;
    const isIssuer = (ca: X509Certificate) => leaf.checkIssued(ca) && leaf.verify(ca.publicKey);
    if (this.#anchors.values().some(isIssuer)) return true;
    const next = others.find(isIssuer);
    return next !== undefined && this.haveIssued([next, ...others.filter((one) => one !== next)]);
  }

  /** Fingerprints of the CAs. */
  get anchorIds(): readonly string[] {
    return [...this.#anchors.keys()];
  }

  /**
   * Reads the JWT of a session, as a real router does: it checks the signature, the times and the API session. `aud` does not
   * count, and clocks may not differ.
   *
   * @throws RefusedToken
   */
  async verify(token: string, apiSessionId: string): Promise<SessionClaims> {
    const claims = await this.#verified(token);
    const now = this.#clock() / 1_000;
    if ((claims.exp ?? Number.POSITIVE_INFINITY) <= now) throw new RefusedToken('token is expired');
    if ((claims.nbf ?? 0) > now) throw new RefusedToken('token is not valid yet');
    if (claims.z_asid !== apiSessionId) throw new RefusedToken('the token is of another API session');
    const { jti: sessionId, z_st: type } = claims;
    if (sessionId === undefined || typeof type !== 'string') throw new RefusedToken('the token is of no session');
    return { sessionId, type };
  }

  async #verified(token: string): Promise<ReturnType<typeof decodeJwt>> {
    try {
      const { kid, alg } = decodeProtectedHeader(token);
      const found = this.#byId.get(kid ?? '');
      if (!found) throw new RefusedToken(unknownKey);
      await compactVerify(token, found.key, { algorithms: [alg ?? ''] });
      return decodeJwt(token);
    } catch (error) {
      throw error instanceof RefusedToken ? error : new RefusedToken('token is unverifiable');
    }
  }
}

/** `null`: the bytes are no key. */
function readKey({ data, format }: PublicKey): KeyObject | null {
  const der = Buffer.from(data);
  try {
    if (format === KeyFormat.X509_CERTIFICATE) return new X509Certificate(der).publicKey;
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return null;
  }
}
