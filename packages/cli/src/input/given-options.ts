/** What the command line says about the members of a body, of a query and of headers. */
export interface GivenOptions {
  /** Member → the texts of its option, or the boolean. */
  readonly fields: ReadonlyMap<string, boolean | readonly string[]>;
  /** Secret members whose lines are in the standard input. */
  readonly secrets: ReadonlySet<string>;
  /** `--body`. */
  readonly body?: string;
}
