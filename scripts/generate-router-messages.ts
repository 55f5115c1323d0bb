// Generates packages/router-messages/src/generated from router.proto beside it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './bootstrap.mjs';
import { writeFiles } from './generate/write-files.ts';

const folder = 'packages/router-messages/src';
const out = mkdtempSync(join(tmpdir(), 'edge-messages-'));
try {
  // The code for TypeScript has enums, which Node cannot strip.
  const plugins = [{ local: 'protoc-gen-es', out, opt: ['target=js+dts'] }];
  const template = JSON.stringify({ version: 'v2', plugins });
  const { code, output } = await run('buf', ['generate', join(root, folder), '--template', template]);
  if (code !== 0) throw new Error(output);
  await writeFiles(
    Object.fromEntries(
      readdirSync(out).map((name) => [`${folder}/generated/${name}`, () => readFileSync(join(out, name), 'utf8')]),
    ),
  );
} finally {
  rmSync(out, { recursive: true, force: true });
}
