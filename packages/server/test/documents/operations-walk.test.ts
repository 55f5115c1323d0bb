import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { freePort } from '../support/free-port.ts';
import { metricNames } from '../support/metrics.ts';
import { readWalk, Shell } from '../support/walk.ts';

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
let directory = '';
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'edge-walk-'));
  // The package as if it were installed.
  const bin = join(directory, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const program = `#!/bin/sh\nexec "${process.execPath}" --conditions=source --no-warnings "${main}" "$@"\n`;
  writeFileSync(join(bin, 'edge-controller'), program);
  chmodSync(join(bin, 'edge-controller'), 0o755);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

it('the commands in the documentation for operators do what it says', async () => {
  const [port, operationsPort] = [String(await freePort()), String(await freePort())];
  const withPorts = (text: string) => text.replaceAll('1280', port).replaceAll('9090', operationsPort);
  const steps = ['Watching a controller', 'New settings without a restart'].flatMap((heading) =>
    readWalk('operations.md', heading, withPorts),
  );
  expect(steps).toHaveLength(5);
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: inject('compileCache'), EDGE_PORT: port };
  await using shell = new Shell({ cwd: directory, env });
  for (const { command, answer } of steps) {
    shell.type(command);
    await expect.poll(shell.output, { message: command }).toMatch(answer);
  }
});

it('the documentation has every metric of the controller, and no other one', async () => {
  await using server = await startController({ operationsBind: '127.0.0.1:0' });
  const own = (await metricNames(server.operationsUrl)).filter((name) => name.startsWith('edge_'));
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const documented = Array.from(
    text.matchAll(/^\| (`edge_.*?) \|/gm),
    ([, names = '']) => names.match(/edge_\w+/g) ?? [],
  );
  expect(documented.flat().toSorted()).toEqual(own.toSorted());
});
