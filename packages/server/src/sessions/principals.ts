/** What a request needs to know of the identity behind its API session. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly authPolicyId: string;
}

/** Identities by id, read from the entity store once per version and kept in this process until the version moves. */
export interface Principals {
  /** `null` when the identity does not exist or is disabled. */
  get(identityId: string, version: string): Promise<Principal | null>;
}
