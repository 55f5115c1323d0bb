// Checks that the exports of the SDK have examples, and the types of all examples: docstrings, READMEs and llms.txt.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import type { ScopedExample } from './surface/check-types.ts';
import { checkTypes } from './surface/check-types.ts';
import { missingExamples } from './surface/missing-examples.ts';
import { docstringExamples, markdownExamples } from './surface/read-examples.ts';
import type { EntryWithExports } from './surface/surface.ts';
import { surfaceOf } from './surface/surface.ts';

const sdk = surfaceOf('sdk');
const server = surfaceOf('server');
const packages = { sdk: sdk.entries, server: [...server.entries, ...sdk.entries] };

/** The module that exports each name: the entry of this part of the sources, else `/node`, else another one. */
function scopeOf(entries: readonly EntryWithExports[], part?: string) {
  const ordered = [part, 'node', 'index'].flatMap((key) => entries.filter((entry) => entry.key === key));
  const all = [...ordered, ...entries].toReversed();
  return new Map(all.flatMap((entry) => entry.exports.map(({ name }) => [name, entry.name])));
}

function examplesOf(name: keyof typeof packages): ScopedExample[] {
  const folder = `packages/${name}`;
  const sources = globSync(join(root, folder, 'src/**/*.{ts,tsx}')).filter((file) => !/\.test\.tsx?$/.test(file));
  const inDocstrings = sources.flatMap((file) => {
    const [part] = file.slice(join(root, folder, 'src/').length).split('/');
    const scope = scopeOf(packages[name], part);
    return docstringExamples(file).map((example) => ({ ...example, folder, part, scope }));
  });
  const guide = globSync(join(root, 'docs', name, '*.md'));
  const documents = [...['README.md', 'llms.txt'].map((file) => join(root, folder, file)).filter(existsSync), ...guide];
  const scope = scopeOf(packages[name]);
  return [...inDocstrings, ...documents.flatMap(markdownExamples).map((example) => ({ ...example, folder, scope }))];
}

const guide = markdownExamples(join(root, 'docs/server-rendered.md'));
const guideScope = scopeOf(packages.sdk, 'backend');
const firstPages = ['README.md', 'docs/first-steps.md'].flatMap((file) => markdownExamples(join(root, file)));
const examples = [
  ...examplesOf('sdk'),
  ...examplesOf('server'),
  ...guide.map((example) => ({ ...example, folder: 'packages/sdk', part: 'backend', scope: guideScope })),
  ...firstPages.map((example) => ({ ...example, folder: 'packages/server', scope: scopeOf(packages.server) })),
];
const faults = [...missingExamples(sdk), ...checkTypes(examples)];
console.log(faults.length > 0 ? faults.join('\n') : `${examples.length} examples`);
process.exitCode = faults.length > 0 ? 1 : 0;
