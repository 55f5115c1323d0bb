/** Signs enrollment JWTs with the key of the TLS server certificate, as the wire requires. */
export interface EnrollmentSigner {
  /** The JWT with which one identity or router redeems its enrollment. */
  sign(claims: {
    /** The id of the identity or router. */
    ownerId: string;
    method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
    token: string;
    /** Milliseconds since 1970. */
    expiresAt: number;
  }): Promise<string>;
  /** The JWT with which any device that has a certificate of a CA enrolls itself. It has no secret and never expires. */
  signForCa(caId: string): Promise<string>;
  /** The JWT with which any device finds the network. It has no secret and never expires. The same one for each certificate. */
  signForNetwork(): Promise<string>;
}
