import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { signInMutants } from './faults/sign-in-mutants.ts';

const root = join(import.meta.dirname, '../../../..');

it('every mutant changes text that its file has exactly once', () => {
  const wrong = signInMutants.flatMap(({ mutant, mutations }) =>
    mutations.flatMap(({ path, from }) => {
      const places = readFileSync(join(root, path), 'utf8').split(from).length - 1;
      return places === 1 ? [] : [`${mutant}: ${path} has ${places} places with ${from}`];
    }),
  );
  expect(wrong).toEqual([]);
});
