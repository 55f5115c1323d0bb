import { hash } from 'node:crypto';
import type { JwtKey } from './keys-of-kid.ts';

/** Tokens that are remembered of one key. */
const maxTokens = 10_000;

/**
 * The SHA-256 of tokens whose signature a key has verified. A client sends its JWT with every request, and a signature costs
 * more than all other checks. The key is the object of one key ring: with the ring it is forgotten.
 */
const verified = new WeakMap<JwtKey, Set<string>>();

/** Whether this key has verified the signature of exactly this token. */
export function isVerified(key: JwtKey, token: string): boolean {
  return verified.get(key)?.has(digestOf(token)) ?? false;
}

export function rememberVerified(key: JwtKey, token: string): void {
  const tokens = verified.get(key) ?? new Set();
  verified.set(key, tokens);
  const [oldest] = tokens;
  if (oldest !== undefined && tokens.size >= maxTokens) tokens.delete(oldest);
  tokens.add(digestOf(token));
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
