import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startConsole } from '../support/open-console.ts';
import type { WalkPart } from '../support/walk.ts';
import { doStep, partsOf } from '../support/walk.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const parts = partsOf(readFileSync(new URL('console.md', docs), 'utf8'));
/** Bytes of a picture. */
const maxPicture = 120 * 1_024;

/** A folder of a device: `edge` is on its path, and trusts the controller. */
function newDevice(caFile: string) {
  const folder = mkdtempSync(join(tmpdir(), 'console-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const program = fileURLToPath(new URL('../../../cli/src/bin.ts', import.meta.url));
  const start = `#!/bin/sh\nexec node --conditions=source --no-warnings ${program} "$@"\n`;
  writeFileSync(join(folder, 'edge'), start, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'node'));
  copyFileSync(caFile, join(folder, 'ca.pem'));
  const env = {
    ...{ PATH: `${folder}:${process.env.PATH}`, EDGE_CONFIG_DIR: join(folder, 'config') },
    NODE_COMPILE_CACHE: inject('compileCache'),
  };
  const run = (commands: string) => promisify(execFile)('bash', ['-e', '-c', commands], { cwd: folder, env });
  return { folder, run };
}

/** Writes a picture of the page as it is, but only when somebody asks for it: a test run leaves the clone unchanged. */
async function takePicture(page: Page, file: string): Promise<void> {
  if (process.env.EDGE_TAKE_PICTURES !== '1') return;
  await page.screenshot({ path: fileURLToPath(new URL(file, docs)), animations: 'disabled' });
}

test('the first day with the console goes as it is written', async () => {
  await using run = await startConsole();
  const page = await run.open('', { viewport: { width: 1100, height: 720 } });
  const device = newDevice(run.controller.caFile);
  const walker = { page, folder: device.folder, password: run.controller.adminCredentials.password };

  async function goOn(part: WalkPart): Promise<unknown> {
    if (part.kind === 'step') return await doStep(walker, part.sentence);
    return part.kind === 'commands' ? await device.run(part.commands) : await takePicture(page, part.file);
  }

  for (const part of parts) {
    await goOn(part).catch((cause: unknown) => {
      throw new Error(`the walk fails at: ${JSON.stringify(part)}`, { cause });
    });
  }
});

test('the steps of the walk are numbered in their order, and its pictures are small', () => {
  const numbers = parts.flatMap((part) => (part.kind === 'step' ? [part.number] : []));
  expect(numbers.length).toBeGreaterThan(30);
  expect(numbers).toEqual(numbers.map((_, at) => at + 1));
  const pictures = parts.flatMap((part) => (part.kind === 'picture' ? [part.file] : []));
  expect(pictures.length).toBeLessThanOrEqual(6);
  for (const file of pictures) expect(statSync(new URL(file, docs)).size).toBeLessThan(maxPicture);
});
