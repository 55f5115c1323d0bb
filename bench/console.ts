// How large the web console is, and how long it takes until its first table of many identities, in Chromium.
// Usage: node --conditions=source console.ts [identities=200000] [rounds=9]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { openBrowser, openPage } from '../examples/browser-sign-in/open-browser.ts';
import { buildConsole } from '../packages/console/test/support/build-console.ts';
import { credentials } from './call.ts';
import { copyRows } from './copy-rows.ts';
import { createProcesses } from './processes.ts';
import { median } from './rounds.ts';
import { startController } from './servers.ts';

const [identities = 200_000, rounds = 9] = process.argv.slice(2).map(Number);
await buildConsole();

const folder = join(import.meta.dirname, '../packages/console/dist');
await using processes = createProcesses();
const server = await startController(processes, { name: 'console', console: folder });
copyRows({
  file: join(processes.directory, 'console/entities.db'),
  table: 'identities',
  count: identities,
  columns: { id: `'bench-' || n`, name: `'Identity number ' || n`, isDefaultAdmin: '0', externalId: 'null' },
});

const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const whole = files.reduce((sum, { parentPath, name }) => sum + gzipped(readFileSync(join(parentPath, name))), 0);

await using browser = await openBrowser(server.url);
const { page, errors } = await openPage(browser);
await page.setViewportSize({ width: 1280, height: 860 });
const loaded: Promise<number>[] = [];
const note = (response: { url(): string; body(): Promise<Buffer> }) => {
  if (response.url().includes('/console/')) loaded.push(response.body().then(gzipped));
};
page.on('response', note);
await page.goto(`${server.url}/console/`);
await page.getByLabel('User name').waitFor();
page.off('response', note);
const atOnce = (await Promise.all(loaded)).reduce((sum, size) => sum + size, 0);
print('at once, gzip -9', (atOnce / 1_000).toFixed(1), 'KB');
print('whole, gzip -9', (whole / 1_000).toFixed(1), 'KB');

const { username, password } = JSON.parse(credentials);
await page.getByText('Stay signed in after a reload of this tab').click();
await page.getByLabel('User name').fill(username);
await page.getByLabel('Password').fill(password);
await page.getByRole('button', { name: 'Sign in', exact: true }).click();
await page.getByRole('banner').waitFor();

const list = `${server.url}/console/entities/identities`;
const total = (identities + 1).toLocaleString('en');
const isShown = (first: string) =>
  page.getByRole('status').getByText(`${first} of ${total}`, { exact: true }).waitFor();

/** What a person does, and what the page shows when it is done. */
const walks: Readonly<Record<string, () => Promise<void>>> = {
  'from the address to the first table': async () => {
    await page.goto(list);
    await isShown('1–50');
  },
  'another page': async () => {
    await page.getByRole('button', { name: 'Next' }).click();
    await isShown('51–100');
  },
  'the last page': async () => {
    await page.getByRole('button', { name: 'Last' }).click();
    await page.getByRole('button', { name: 'Next', disabled: true }).waitFor();
  },
  'sorted by name': async () => {
    await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
    await page.getByRole('columnheader', { name: 'Name' }).and(page.locator('[aria-sort]')).waitFor();
    await isShown('1–50');
  },
  'found by a part of the name': async () => {
    await page.getByLabel('Search by name').fill('number 19999');
    await page
      .getByRole('rowheader', { name: /number 19999/ })
      .first()
      .waitFor();
  },
};
const times = new Map(Object.keys(walks).map((name) => [name, [] as number[]]));
// The first round is not counted: it fills the caches of the machine.
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, walk] of Object.entries(walks)) {
    const startedAt = performance.now();
    await walk();
    if (round > 0) times.get(name)?.push(performance.now() - startedAt);
  }
}
if (errors.length > 0) throw new Error(errors.join('\n'));
process.stdout.write(`${identities} identities, medians of ${rounds} rounds\n`);
for (const [name, all] of times) print(name, median(all).toFixed(0), 'ms');

function gzipped(bytes: Buffer): number {
  return gzipSync(bytes, { level: 9 }).length;
}

function print(what: string, value: string, unit: string): void {
  process.stdout.write(`${what.padEnd(40)}${value.padStart(8)} ${unit}\n`);
}
