import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, inject, it, vi } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import { environmentOf, runCommands, temporaryDirectory } from '../support/maintenance.ts';
import { freshDatabase } from '../support/postgres.ts';
import { freshRedis } from '../support/redis.ts';

vi.setConfig({ testTimeout: 120_000 });

const operations = readFileSync(fileURLToPath(new URL('../../../../docs/operations.md', import.meta.url)), 'utf8');

/** The commands of a section, as a reader would type them one after the other. */
function commandsOf(heading: string): string {
  const [, section = ''] = operations.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands]) => commands).join('');
}

/** What `doctor` says of an administrator who has just begun. */
const noSecondFactor = /^look at {2}entity database\n {2}warning: Identities with rights that sign in .*\n.*\n.*\n/gm;

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
    const { code, output } = await runCommands(directory, commands, environmentOf(options));
    expect(code, output).toBe(0);
    expect(output.replaceAll(noSecondFactor, '')).not.toMatch(/error|Warning|look at/);
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
  const { code, output } = await runCommands(directory, commands, environmentOf({ dataDir }));
  expect(code, output).toBe(0);
  expect(output).toContain('Imported the export');
  await using server = await startController({ dataDir, databaseUrl, redisUrl });
  const signIn = { body: { username: user.username, password: user.password } };
  expect((await server.wire('POST', '/edge/client/v1/authenticate?method=password', signIn)).status).toBe(200);
});
