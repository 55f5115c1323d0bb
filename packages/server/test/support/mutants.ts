import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of one source file that breaks the controller. */
export interface Mutation {
  /** Path in the repository. */
  readonly path: string;
  /** Text that the file has exactly once. */
  readonly from: string;
  readonly to: string;
}

/**
 * Breaks the copy of the repository in `folder`.
 *
 * @throws when a file does not have the text exactly once: the test must then be adapted to the new code
 */
export function applyMutations(folder: string, mutations: readonly Mutation[]): void {
  for (const { path, from, to } of mutations) {
    const file = join(folder, path);
    const parts = readFileSync(file, 'utf8').split(from);
    if (parts.length !== 2) throw new Error(`${path} has ${parts.length - 1} places with ${JSON.stringify(from)}`);
    writeFileSync(file, parts.join(to));
  }
}
