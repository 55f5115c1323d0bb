import { createPublicKey } from 'node:crypto';
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
 * The keys that sign the tokens of sessions of services: that of the server certificate, and those before it. Their ids are those of the
 * certificates, as on the wire. A new one is announced to the edge routers before it is used.
 */
export class SessionKeys {
  readonly #server: () => ServerKey;
  readonly #known = new Map<string, PublicSessionKey>();
  #current: ServerKey;
  /** The key that is announced and not used yet. */
  #next: { readonly key: ServerKey; readonly usedFrom: number } | null = null;

  constructor(server: () => ServerKey) {
    this.#server = server;
    this.#current = this.#remember(server());
  }

  /** The key that signs now. */
  current(): ServerKey {
    this.#renewIfDue();
    if (this.#next && performance.now() >= this.#next.usedFrom) {
      this.#current = this.#next.key;
      this.#next = null;
    }
    return this.#current;
  }

  /** All keys whose tokens edge routers must accept. */
  all(): readonly PublicSessionKey[] {
    this.#renewIfDue();
    return [...this.#known.values()];
  }

  #renewIfDue(): void {
    const server = this.#server();
    if (this.#known.has(server.kid)) return;
    this.#next = { key: this.#remember(server), usedFrom: performance.now() + announceTime };
  }

  #remember(server: ServerKey): ServerKey {
    const spki = createPublicKey(server.key).export({ type: 'spki', format: 'der' });
    this.#known.set(server.kid, { kid: server.kid, spki: spki.toString('base64') });
    return server;
  }
}
