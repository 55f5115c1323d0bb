import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { programs } from './support/built.ts';
import { freeDecade, freePorts } from './support/free-port.ts';
import type { Guide } from './support/guide.ts';
import { readGuide } from './support/guide.ts';
import { Program } from './support/program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'edge-guide-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** The packages as if they were installed, and `npx` that runs the controller. Both from source. */
function install(): string {
  const bin = join(directory, '.bin');
  mkdirSync(bin);
  const npx = `#!/bin/sh\n[ "$1" = edge-controller ] && shift && exec node "${root}packages/server/src/main.ts" "$@"\n`;
  writeFileSync(join(bin, 'npx'), npx);
  chmodSync(join(bin, 'npx'), 0o755);
  mkdirSync(join(directory, 'node_modules', '@edge-controller'), { recursive: true });
  symlinkSync(join(root, 'packages', 'sdk'), join(directory, 'node_modules', '@edge-controller', 'sdk'));
  return [bin, dirname(programs.ziti), dirname(process.execPath), process.env.PATH].join(delimiter);
}

/** The ports of the guide are replaced by free ones. Those of a router begin with the same four digits. */
async function replacePorts(): Promise<(text: string) => string> {
  const [port, routersPort] = await freePorts(2);
  const [first, second] = [await freeDecade(), await freeDecade()];
  return (text) =>
    text
      .replaceAll('1280', String(port))
      .replaceAll('6262', String(routersPort))
      .replaceAll(/30([23])(?=[12/])/g, (_prefix, router) => String(router === '2' ? first : second));
}

it('the commands of the guide to routers do what it says', async () => {
  const guide = readGuide('routers.md', await replacePorts());
  expect(guide.steps).toHaveLength(10);
  expect([...guide.files.keys()]).toEqual(['setup.mjs', 'router-1.yml', 'status.mjs', 'host.mjs', 'caller.mjs']);
  for (const [name, text] of guide.files) writeFileSync(join(directory, name), text);
  const env = {
    ...{ PATH: install(), NODE_OPTIONS: '--conditions=source --no-warnings' },
    ...{ EDGE_ADMIN_PASSWORD: 'a password of a reader', EDGE_PORT: portOf(guide) },
  };

  await using running = new AsyncDisposableStack();
  for (const { command, goesOn, answer } of guide.steps) {
    const program = running.use(new Program('bash', ['-c', `exec ${command}`], { cwd: directory, env }));
    if (!goesOn) expect(await program.ended, String(program)).toBe(0);
    await program.prints(answer);
  }
});

/** The port of the Client API in the programs of the guide. */
function portOf({ files }: Guide): string {
  const [, port = ''] = /https:\/\/localhost:(\d+)/.exec(files.get('setup.mjs') ?? '') ?? [];
  return port;
}
