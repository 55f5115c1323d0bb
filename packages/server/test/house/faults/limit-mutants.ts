import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const openings = 'routers/circuits/opening-circuits.ts';
const schemas = 'entities/json-schemas/json-schemas.ts';
const ofOpenings = ['edge-routers-openings'];
const ofSchemas = ['json-schemas.test'];

/** Each lets somebody use up what is there for all. */
export const limitMutants: readonly SignInMutant[] = [
  {
    mutant: 'lets one identity open as many circuits as a router may',
    mutations: change(openings, 'apiSession: 250, identity: 250', 'apiSession: 1_000, identity: 1_000'),
    tests: ofOpenings,
  },
  {
    mutant: 'lets everybody wait for one host',
    mutations: change(openings, 'terminator: 250', 'terminator: 1_000'),
    tests: ofOpenings,
  },
  {
    mutant: 'counts circuits that are open as being opened',
    mutations: change(openings, 'if (left > 0) this.#counts.set(text, left);', 'if (left > 0) continue;'),
    tests: ofOpenings,
  },
  {
    mutant: 'gives an identity all the time for JSON schemas',
    mutations: change(schemas, 'if (wait > 0) throw', 'if (wait < 0) throw'),
    tests: ofSchemas,
  },
  {
    mutant: 'gives all identities one time for JSON schemas',
    mutations: [
      ...change(schemas, 'this.#budgets.waitOf(identityId)', "this.#budgets.waitOf('')"),
      ...change(schemas, 'this.#budgets.spend(identityId, time)', "this.#budgets.spend('', time)"),
    ],
    tests: ofSchemas,
  },
  {
    mutant: 'forgets which JSON schema took too long',
    mutations: change(schemas, 'performance.now() + lateTime :', 'performance.now() :'),
    tests: ofSchemas,
  },
];
