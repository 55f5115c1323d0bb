import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './bootstrap.mjs';

/** What decides how all tests run. */
const forAll = /^(package\.json|pnpm-lock\.yaml|pnpm-workspace\.yaml|tsconfig.*\.json|vitest\.config\.ts)$/;

/** Tests that start programs, or read files as texts: they depend on what they do not import. */
const readers: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^packages\/(server|shared-types)\/src\//, ['packages/server/test/support/executable.ts']],
  [/^packages\/server\/test\/support\//, ['packages/server/test/support/recipe.ts']],
  [/^packages\/|^bench\/|^examples\//, ['packages/server/test/house/architecture.test.ts']],
  [/^packages\/server\/src\//, ['packages/server/test/house/layers.test.ts']],
  [
    /^packages\/(server|shared-types)\/|^docs\/recipes\/|^scripts\/generate/,
    ['packages/server/test/house/recipe.test.ts'],
  ],
  [/^packages\/server\/src\/|^scripts\/crash/, ['packages/server/test/operate/crash.test.ts']],
  [
    /^packages\/sdk\/src\//,
    ['layers', 'generated-types', 'offline-files', 'bad-networks'].map((name) => `packages/sdk/test/${name}.test.ts`),
  ],
  [
    /^packages\/(sdk|shared-types)\/src\//,
    ['src/bundle', 'test/workers'].map((name) => `packages/sdk/${name}.test.ts`),
  ],
  [/\.(md|test\.ts)$/, ['documents', 'readme'].map((name) => `packages/server/test/documents/${name}.test.ts`)],
  [/^docs\/sdk\/testing\.md/, ['packages/server/test/sdk/sdk-fake-timers.test.ts']],
  [/^docs\/operations\.md/, ['packages/server/test/operate/maintenance-walks.test.ts']],
  [/^packages\/(cli|operation-tables|sdk|shared-types)\/src\/|^docs\/cli\.md/, ['packages/cli/test/support/edge.ts']],
  [
    /^packages\/(console|operation-tables|sdk|server|shared-types)\/src\/|^docs\/(console\.md|pictures\/)/,
    ['packages/console/test/support/open-console.ts', 'packages/console/test/layers.test.ts'],
  ],
  [/^docs\/backends\.md|^packages\/sdk\/test\/recipes\//, ['packages/sdk/test/recipes.test.ts']],
  [
    /^docs\/openapi\//,
    ['openapi', 'openapi-3', 'openapi-generators', 'reference'].map(
      (name) => `packages/server/test/documents/${name}.test.ts`,
    ),
  ],
  [/^packages\/server\/src\/http\/pages\//, ['packages/server/test/http/pages.test.ts']],
  [
    /^docs\/compatibility\.md|^packages\/server\/test\/reference\/generated\//,
    ['packages/server/test/documents/reference.test.ts'],
  ],
  [/^scripts\/(start|bootstrap|stages|audit|run\.mjs)/, ['packages/server/test/operate/start-script.test.ts']],
];

/**
 * Returns the files on which the tests of a change depend: what differs from the commit at which the branch left `main`, with
 * the working tree. On `main`, that is the working tree alone. `null`: all tests depend on the change.
 */
export async function changedFiles(): Promise<string[] | null> {
  const since = (await git('merge-base', 'HEAD', 'main')) || (await git('merge-base', 'HEAD', 'origin/main')) || 'HEAD';
  const listed = [await git('diff', '--name-only', since), await git('ls-files', '--others', '--exclude-standard')];
  const changed = listed.join('\n').split('\n').filter(Boolean);
  if (changed.some((file) => forAll.test(file))) return null;
  const read = readers.filter(([kind]) => changed.some((file) => kind.test(file))).flatMap(([, tests]) => tests);
  return [...new Set([...changed, ...read])].filter((file) => existsSync(join(root, file)));
}

/** The output of a command of Git, or nothing when it fails. */
async function git(...args: readonly string[]) {
  const { code, output } = await run('git', args);
  return code === 0 ? output.trim() : '';
}
