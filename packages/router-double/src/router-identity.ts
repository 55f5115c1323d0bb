/** What a router gets when it enrolls. All but the id is PEM. */
export interface RouterIdentity {
  readonly id: string;
  /** The private key of both certificates. */
  readonly key: string;
  /** The router connects with it. The leaf, then its intermediates. */
  readonly cert: string;
  /** Applications and other routers meet it. The leaf, then its intermediates. */
  readonly serverCert: string;
  /** The CA certificates that the router trusts. */
  readonly ca: string;
  /** Where the controllers listen for routers, as the enrollment names them. */
  readonly controllers: readonly string[];
}
