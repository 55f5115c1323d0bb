// Generates the descriptions in the API documents from the doc comments of the contract.
import { join } from 'node:path';
import type { ApiTree } from '../packages/shared-types/src/index.ts';
import { clientApi, definitions, managementApi } from '../packages/shared-types/src/index.ts';
import { root } from './bootstrap.mjs';
import { readDocs } from './generate/read-docs.ts';
import { writeFiles } from './generate/write-files.ts';

const docsOf = readDocs(join(root, 'packages/shared-types/src'));
const trees: readonly ApiTree[] = [clientApi, managementApi];

function describeResource(name: string): string {
  const text = docsOf(name)?.text;
  if (!text) throw new Error(`the resource ${name} has no doc comment`);
  return text;
}

function describeSchema(id: string) {
  const { text = '', members = new Map<string, string>() } = docsOf(id) ?? {};
  return { text, members: Object.fromEntries(members) };
}

const tags = [...new Set(trees.flatMap((tree) => Object.keys(tree)))].sort();
const schemas = [...definitions._idmap.keys()].sort();
const descriptions = {
  tags: Object.fromEntries(tags.map((name) => [name, describeResource(name)])),
  schemas: Object.fromEntries(schemas.map((id) => [id, describeSchema(id)])),
};

await writeFiles({
  'packages/server/src/documents/openapi/generated/descriptions.json': () =>
    `${JSON.stringify(descriptions, undefined, 2)}\n`,
});
