/** A data directory as `init` has left it, a copy of it, and a directory for anything else. */
export interface Directories {
  readonly dataDir: string;
  readonly good: string;
  readonly beside: string;
}

/** The environment that leads to the fault, and what mends it. */
export interface Broken {
  readonly env?: Readonly<Record<string, string>>;
  /** Does what the remedy says, when it is no other setting. */
  readonly mend?: () => void | Promise<void>;
  /** The environment after that. Default: none. */
  readonly after?: Readonly<Record<string, string>>;
  /** Ends what the installation needs. */
  readonly end?: () => Promise<void>;
}

export interface Installation {
  readonly name: string;
  readonly severity: 'error' | 'warning';
  readonly check: string;
  readonly message: RegExp;
  readonly setIn: RegExp | null;
  readonly fix: RegExp;
  readonly break: (directories: Directories) => Broken | Promise<Broken>;
}
