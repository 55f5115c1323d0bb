import type { Mutation } from '../../support/mutants.ts';

/** A broken controller, and the tests that must find it. */
export interface SignInMutant {
  /** What it does wrong. */
  readonly mutant: string;
  readonly mutations: readonly Mutation[];
  /** Names of test files. */
  readonly tests: readonly string[];
  /** Every case with such a name must fail, not only one: with this fault the case shows nothing. */
  readonly cases?: RegExp;
}

/** A change of one file of the controller. */
export const change = (path: string, from: string, to: string): readonly Mutation[] => [
  { path: `packages/server/src/${path}`, from, to },
];
