// Breaks the controller in one way after another, and runs the tests that must find it. Prints the mutants that survive, and ends
// with 1 then. `node packages/server/test/house/faults/mutants.ts [texts in their names]`
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyMutations } from '../../support/mutants.ts';
import { copyRepository, runNode } from '../../support/recipe.ts';
import type { SignInMutant } from './mutant.ts';
import { signInMutants } from './sign-in-mutants.ts';

interface Case {
  readonly fullName: string;
  readonly status: string;
}
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly Case[];
  }[];
}

const wanted = process.argv.slice(2);
const mutants = signInMutants.filter(
  ({ mutant }) => wanted.length === 0 || wanted.some((text) => mutant.includes(text)),
);
const copy = copyRepository();

/** Runs the tests of a mutant in the copy of the repository. Returns all cases. */
async function casesOf({ mutant, tests, cases }: SignInMutant): Promise<readonly Case[]> {
  const file = join(copy, 'report.json');
  const bail = cases ? [] : ['--bail=1'];
  const args = ['run', '--reporter=json', `--outputFile=${file}`, '--testTimeout=60000', ...bail, ...tests];
  const { output } = await runNode(copy, ['node_modules/vitest/vitest.mjs', ...args]);
  if (!existsSync(file)) throw new Error(`the tests did not run:\n${output}`);
  const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'));
  rmSync(file);
  // Any test would find a mutant that cannot be loaded. A file that was not run has no message.
  const broken = testResults.find(({ message, assertionResults }) => message !== '' && assertionResults.length === 0);
  if (broken) throw new Error(`${mutant} cannot be loaded: ${broken.message}`);
  return testResults.flatMap(({ assertionResults }) => assertionResults);
}

/** The cases that should have failed. Empty: the mutant is found. */
function survivors({ cases }: SignInMutant, all: readonly Case[]): readonly string[] {
  const hasFailed = ({ status }: Case) => status === 'failed';
  if (!cases) return all.some(hasFailed) ? [] : ['all cases pass'];
  const relevant = all.filter(({ fullName }) => cases.test(fullName));
  return relevant.length === 0
    ? ['no case has such a name']
    : relevant.filter((one) => !hasFailed(one)).map(({ fullName }) => fullName);
}

let survived = 0;
try {
  for (const one of mutants) {
    const startedAt = performance.now();
    const originals = one.mutations.map(({ path }) => [join(copy, path), readFileSync(join(copy, path))] as const);
    applyMutations(copy, one.mutations);
    const passed = survivors(one, await casesOf(one));
    for (const [file, text] of originals) writeFileSync(file, text);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${passed.length === 0 ? 'found   ' : 'SURVIVES'}  ${one.mutant}  ${seconds} s`);
    for (const name of passed) console.log(`            ${name}`);
    if (passed.length > 0) survived += 1;
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${mutants.length} mutants, ${survived} survive`);
process.exitCode = survived === 0 && mutants.length > 0 ? 0 : 1;
