import { fromBase64url, toBase64url } from './base64url.ts';

type Key = Awaited<ReturnType<typeof crypto.subtle.deriveKey>>;

interface SealKey {
  /** Says which secret has sealed a text. */
  readonly id: string;
  readonly key: Key;
}

const minSecret = 32;
const ivLength = 12;

/** Seals texts, so that nobody without the secret can read, change or make one. The first secret seals, all of them open. */
export class Sealer {
  readonly #secrets: readonly string[];
  #keys: Promise<readonly SealKey[]> | undefined;

  /** @throws TypeError when there is no secret, or one is too short */
  constructor(secrets: readonly string[]) {
    if (secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret.length < minSecret)) {
      throw new TypeError(`secret must have at least ${minSecret} characters: use 32 random bytes as base64`);
    }
    this.#secrets = secrets;
  }

  /** `context`: what the text belongs to. It opens only with the same one. */
  async seal(text: string, context: string): Promise<string> {
    const [first] = await this.#load();
    if (first === undefined) throw new TypeError('there is no secret');
    const iv = crypto.getRandomValues(new Uint8Array(ivLength));
    const algorithm = { name: 'AES-GCM', iv, additionalData: bytesOf(context) };
    const sealed = new Uint8Array(await crypto.subtle.encrypt(algorithm, first.key, bytesOf(text)));
    return `${first.id}.${toBase64url(Uint8Array.from([...iv, ...sealed]))}`;
  }

  /** `null` when none of the secrets has sealed the text for this context. */
  async open(sealed: string, context: string): Promise<string | null> {
    const [id, content = '', ...more] = sealed.split('.');
    const bytes = fromBase64url(content);
    const known = (await this.#load()).find((key) => key.id === id);
    if (known === undefined || bytes === null || more.length > 0) return null;
    const algorithm = { name: 'AES-GCM', iv: bytes.slice(0, ivLength), additionalData: bytesOf(context) };
    try {
      return new TextDecoder().decode(await crypto.subtle.decrypt(algorithm, known.key, bytes.slice(ivLength)));
    } catch {
      return null;
    }
  }

  #load(): Promise<readonly SealKey[]> {
    this.#keys ??= Promise.all(this.#secrets.map(sealKeyOf));
    return this.#keys;
  }
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

async function sealKeyOf(secret: string): Promise<SealKey> {
  const base = await crypto.subtle.importKey('raw', bytesOf(secret), 'HKDF', false, ['deriveBits', 'deriveKey']);
  const derivation = (info: string) => ({ name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: bytesOf(info) });
  const id = await crypto.subtle.deriveBits(derivation('edge-session key id'), base, 32);
  const purpose = derivation('edge-session key');
  const key = await crypto.subtle.deriveKey(purpose, base, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
  return { id: toBase64url(new Uint8Array(id)), key };
}
