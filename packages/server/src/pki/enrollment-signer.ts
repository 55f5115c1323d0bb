/** Signs enrollment JWTs with the key of the TLS server certificate, as the wire requires. */
export interface EnrollmentSigner {
  /** The JWT with which one identity redeems its enrollment. */
  sign(claims: {
    identityId: string;
    method: 'ott' | 'ottca' | 'updb';
    token: string;
    /** Milliseconds since 1970. */
    expiresAt: number;
  }): Promise<string>;
  /** The JWT with which any device that has a certificate of a CA enrolls itself. It has no secret and never expires. */
  signForCa(caId: string): Promise<string>;
}
