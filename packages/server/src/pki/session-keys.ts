import { createPublicKey, hash } from 'node:crypto';
import type { ServerKey } from './server-jwt.ts';

/** Milliseconds for which a new key only verifies, so that every edge router knows it before a token is signed with it. */
const announceTime = 5_000;

/** A key as edge routers get it. */
export interface PublicSessionKey {
  readonly kid: string;
  /** SubjectPublicKeyInfo in base64. */
  readonly spki: string;
}

/**
 * The keys that sign the tokens of sessions of services: that of the server certificate, and those before it. Their id is that of the
 * key, not of the certificate: a renewal of the certificate changes nothing for edge routers.
 */
export class SessionKeys {
  readonly #server: () => ServerKey;
  readonly #known = new Map<string, PublicSessionKey>();
  #current: ServerKey;
  #serverKid = '';
  /** The key that is announced and not used yet. */
  #next: { readonly key: ServerKey; readonly usedFrom: number } | null = null;

  constructor(server: () => ServerKey) {
    this.#server = server;
    this.#current = this.#read();
  }

  /** The key that signs now. */
  current(): ServerKey {
    this.#look();
    if (this.#next && performance.now() >= this.#next.usedFrom) {
      this.#current = this.#next.key;
      this.#next = null;
    }
    return this.#current;
  }

  /** All keys whose tokens edge routers must accept. */
  all(): readonly PublicSessionKey[] {
    this.#look();
    return [...this.#known.values()];
  }

  #look(): void {
    if (this.#server().kid === this.#serverKid) return;
    const key = this.#read();
    if (key.kid === this.#current.kid) return;
    this.#next = { key, usedFrom: performance.now() + announceTime };
  }

  /** Reads the key of the server certificate, and remembers it. */
  #read(): ServerKey {
    const { key, kid: serverKid } = this.#server();
    this.#serverKid = serverKid;
    const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
    const kid = hash('sha1', spki, 'hex');
    this.#known.set(kid, { kid, spki: spki.toString('base64') });
    return { key, kid };
  }
}
