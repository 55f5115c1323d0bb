import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, vi } from 'vitest';
import { startController, storePairs } from './support/controller.ts';
import { environmentOf, temporaryDirectory } from './support/maintenance.ts';
import { freshDatabase } from './support/postgres.ts';
import { freshRedis } from './support/redis.ts';

vi.setConfig({ testTimeout: 120_000 });

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const operations = readFileSync(fileURLToPath(new URL('../../../docs/operations.md', import.meta.url)), 'utf8');

/** The commands of a section, as a reader would type them one after the other. */
function commandsOf(heading: string): string {
  const [, section = ''] = operations.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('');
}

/** Runs commands in a directory in which `edge-controller` is on the path. */
async function run(directory: string, commands: string, env: Record<string, string>) {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const program = `#!/bin/sh\nexec "${process.execPath}" --conditions=source --no-warnings "${main}" "$@"\n`;
  writeFileSync(join(bin, 'edge-controller'), program, { mode: 0o755 });
  const shell = spawn('sh', ['-e', '-c', commands], {
    cwd: directory,
    env: {
      ...{ PATH: [bin, process.env.PATH].join(delimiter), NODE_COMPILE_CACHE: inject('compileCache'), EDGE_PORT: '0' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(shell, 'close');
  return { code, output };
}

describe.each(storePairs)('the walks of docs/operations.md on $stores', ({ open }) => {
  it.each(['Backup and restore', 'Migrations', 'What is wrong?'])('%s', async (heading) => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'backups'));
    const options = { ...(await open()), dataDir: join(directory, 'data') };
    let user = { id: '', username: '', password: '' };
    {
      await using server = await startController(options);
      user = await server.addUser(await server.signIn());
    }
    // With PostgreSQL, the walk says to name an empty database where it tries a backup.
    const empty = options.databaseUrl ? `EDGE_DATABASE_URL=${await freshDatabase(inject('postgresUrl'))} ` : '';
    const commands = commandsOf(heading).replaceAll('EDGE_DATA_DIR=check ', `EDGE_DATA_DIR=check ${empty}`);
    expect(commands).toContain('edge-controller ');
    const { code, output } = await run(directory, commands, environmentOf(options));
    expect(code, output).toBe(0);
    expect(output).not.toMatch(/error|Warning|look at/);
    await using server = await startController(options);
    const token = await server.signIn();
    expect((await server.wire('GET', `/edge/management/v1/identities/${user.id}`, { token })).status).toBe(200);
  });
});

it('Moving to another database', async () => {
  const directory = temporaryDirectory();
  const dataDir = join(directory, 'data');
  let user = { id: '', username: '', password: '' };
  {
    await using server = await startController({ dataDir });
    user = await server.addUser(await server.signIn());
  }
  const databaseUrl = await freshDatabase(inject('postgresUrl'));
  const redisUrl = await freshRedis(inject('redisUrl'));
  const commands = commandsOf('Moving to another database')
    .replace('postgres://edge:secret@db.example/edge', databaseUrl)
    .replace('redis://redis.example', redisUrl);
  expect(commands).not.toContain('example');
  const { code, output } = await run(directory, commands, environmentOf({ dataDir }));
  expect(code, output).toBe(0);
  expect(output).toContain('Imported the export');
  await using server = await startController({ dataDir, databaseUrl, redisUrl });
  const signIn = { body: { username: user.username, password: user.password } };
  expect((await server.wire('POST', '/edge/client/v1/authenticate?method=password', signIn)).status).toBe(200);
});
