/** What an act is about, as far as it can take over an account. */
export interface Concern {
  /** The identity whose way to sign in it changes. `null`: there is none. */
  readonly owner?: string | null;
  /** Whether it gives rights, or says whom the controller trusts. */
  readonly isAdministration?: boolean;
}

/** What the acts below read of their input. */
export interface ActInput {
  readonly params?: { readonly id?: string };
  readonly body?: Readonly<Record<string, unknown>>;
}
