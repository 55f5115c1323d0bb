import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestController } from '@edge-controller/sdk/testing';
import { expect, inject, test } from 'vitest';
import { exitCodes } from '../src/errors/exit-codes.ts';
import { createEdge } from './support/edge.ts';

const walk = readFileSync(new URL('../../../docs/cli.md', import.meta.url), 'utf8');

interface Step {
  readonly commands: string;
  /** What the commands print, when the walk shows it. */
  readonly output: string | undefined;
}

/** The blocks of commands, each with the block of output that may follow. */
function stepsOf(text: string): Step[] {
  const blocks = text.matchAll(/```sh\n(.*?)```\n(?:\n```text\n(.*?)```\n)?/gs);
  return [...blocks].map(([, commands = '', output]) => ({ commands, output }));
}

test('the first day with the command line runs as it is written', async () => {
  await using controller = await startTestController();
  const { folder } = createEdge();
  const program = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
  const start = `#!/bin/sh\nexec node --conditions=source --no-warnings ${program} "$@"\n`;
  writeFileSync(join(folder, 'edge'), start, { mode: 0o755 });
  symlinkSync(process.execPath, join(folder, 'node'));
  copyFileSync(controller.caFile, join(folder, 'ca.pem'));
  writeFileSync(join(folder, 'password.txt'), `${controller.adminCredentials.password}\n`);
  const env = {
    ...{ PATH: `${folder}:${process.env.PATH}`, EDGE_CONFIG_DIR: join(folder, 'config') },
    NODE_COMPILE_CACHE: inject('compileCache'),
  };
  const steps = stepsOf(walk);
  expect(steps.length).toBeGreaterThan(10);
  for (const { commands, output } of steps) {
    const script = commands.replaceAll('https://localhost:1280', controller.url);
    const { failed, stdout, stderr } = await new Promise<{ failed: boolean; stdout: string; stderr: string }>(
      (resolve) =>
        execFile('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: folder, env }, (error, out, err) =>
          resolve({ failed: error !== null, stdout: out, stderr: err }),
        ),
    );
    expect(failed ? `${commands}${stderr}` : '').toBe('');
    if (output !== undefined) expect(stdout).toBe(output);
  }
});

test('the walk lists the exit codes', () => {
  const listed = [...walk.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(exitCodes));
});
