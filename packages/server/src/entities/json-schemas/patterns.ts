import { RE2JS } from 're2js';

/** A pattern as the schema library uses it. It distinguishes patterns by `toString`. */
interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * The regular expressions of one schema. They have the syntax of RE2: they take linear time, and mean the same in every
 * controller of the network.
 */
export class Patterns {
  readonly #compiled = new Map<string, RE2JS>();

  /** @throws Error that says what is wrong with the pattern */
  use(pattern: string): Pattern {
    this.#compile(pattern);
    return { test: (text) => this.#compile(pattern).test(text), toString: () => pattern };
  }

  /**
   * Gives back the memory of all patterns. A short pattern may have a thousand states, and remembers up to 8 MiB of what it met
   * in texts: too much to keep for all schemas. The next check compiles those that it needs.
   */
  forget(): void {
    this.#compiled.clear();
  }

  #compile(pattern: string): RE2JS {
    const known = this.#compiled.get(pattern) ?? RE2JS.compile(pattern);
    this.#compiled.set(pattern, known);
    return known;
  }
}
