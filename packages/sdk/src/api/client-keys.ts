type CryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A key pair of WebCrypto: ECDSA (P-256, P-384 or P-521), or RSASSA-PKCS1-v1_5 with SHA-256. */
export interface ClientKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** `ec`: P-256. `rsa`: 3072 bits. */
export type KeyType = 'ec' | 'rsa';
