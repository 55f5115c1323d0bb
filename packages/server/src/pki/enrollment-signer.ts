/** Signs enrollment JWTs with the key of the TLS server certificate, as the wire requires. */
export interface EnrollmentSigner {
  sign(claims: {
    identityId: string;
    method: 'ott' | 'ottca' | 'updb';
    token: string;
    /** Milliseconds since 1970. */
    expiresAt: number;
  }): Promise<string>;
}
