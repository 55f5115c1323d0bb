import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

test('on a Node that is too old, the executable says in one sentence which one it needs', () => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const program = fileURLToPath(new URL('bin.ts', import.meta.url));
  const args = ['--no-warnings', '--import', `data:text/javascript,${encodeURIComponent(older)}`, program];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(/^edge-controller needs Node \d+\.\d+ or newer; this is Node 20\.20\.2\.\n$/),
  });
});
