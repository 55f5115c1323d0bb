/** Signs the JWTs of sessions with the key of the TLS server certificate, as the wire requires. */
export interface SessionSigner {
  /** The JWT that a client shows to edge routers. It says no more than what its session is; routers learn when that ends. */
  sign(session: {
    readonly id: string;
    readonly type: 'Dial' | 'Bind';
    readonly serviceId: string;
    readonly apiSessionId: string;
    readonly identityId: string;
    /** Milliseconds since 1970. */
    readonly issuedAt: number;
  }): Promise<string>;
}
