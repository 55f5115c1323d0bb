// The SDK beside other packages for sign-in: size, packaging, import, recovery after a lost session.
// It installs the others with npm in a temporary directory, so it needs a registry.
// Usage: node --conditions=source ecosystem.ts [part of a package name …]
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BundleSize } from './ecosystem/bundle-size.ts';
import { bundleSize } from './ecosystem/bundle-size.ts';
import { importTimes } from './ecosystem/import-time.ts';
import { packTarball } from './ecosystem/pack-tarball.ts';
import type { Measured } from './ecosystem/packages.ts';
import { others, ours, oursWithKy } from './ecosystem/packages.ts';
import { packaging } from './ecosystem/packaging.ts';
import { measureRecovery } from './ecosystem/recovery.ts';
import { shell } from './ecosystem/shell.ts';

const wanted = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'edge-ecosystem-'));
const say = (line: string) => void process.stdout.write(`${line}\n`);
const kilobytes = (bytes: number) => count(Math.round(bytes / 1_024));
const count = (value: number) => value.toLocaleString('en');

function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  for (const cells of [columns, columns.map(() => '---'), ...rows]) say(`| ${cells.join(' | ')} |`);
}

async function install(name: string, spec: string): Promise<string> {
  const directory = join(work, name.replaceAll('/', '-'));
  mkdirSync(directory);
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }');
  await shell(directory, ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', spec]);
  return directory;
}

const sizeCells = (size: BundleSize | null) =>
  size ? [size.min, size.brotli, size.gzip, size.used, size.oneFile].map(count) : ['–', '–', '–', '–', '–'];

async function measure(other: Measured, spec = `${other.name}@${other.version}`) {
  const { name, version, code, native } = other;
  process.stderr.write(`${name} …\n`);
  const directory = await install(name, spec);
  const size = native ? null : await bundleSize(directory, other);
  const pack = await packaging(directory, name, spec);
  const title = `${name} ${version}`;
  const cells = [
    ...[title, pack.transitive, kilobytes(pack.tarball), kilobytes(pack.unpacked), count(pack.files)],
    `${pack.warnings}/${pack.suggestions}`,
    pack.typeProblems === null ? 'no types' : `${pack.typeProblems}/${pack.typeProblemsNow}`,
  ];
  return { directory, code, sizes: [title, ...sizeCells(size)], cells };
}

const sizeColumns = [
  ...['Package', 'min B at once', 'brotli B at once', 'gzip B at once', 'gzip B after a sign-in and a call'],
  'gzip B in one file',
];
const columns = [
  ...['Package', 'packages it brings', 'tarball KB', 'unpacked KB', 'files', 'publint warnings/suggestions'],
  ...['attw problems/without Node 10', 'import ms'],
];

try {
  const tarball = await packTarball(work);
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../packages/sdk/package.json'), 'utf8'));
  const mine = await measure(ours(version), tarball);
  const withKy = sizeCells(await bundleSize(mine.directory, oursWithKy(version)));
  const measured = [mine];
  for (const other of others) {
    if (wanted.length === 0 || wanted.some((part) => other.name.includes(part))) measured.push(await measure(other));
  }
  const times = await importTimes(new Map(measured.map(({ directory, code }) => [directory, code])));
  say(`Node ${process.version}\n`);
  const [mySizes = [], ...sizes] = measured.map((one) => one.sizes);
  table(sizeColumns, [mySizes, ['the same, with ky', ...withKy], ...sizes]);
  say('');
  table(
    columns,
    measured.map(({ directory, cells }) => [...cells, times.get(directory)?.toFixed(1) ?? 'fails']),
  );
  say('\nFifty calls at once whose session was ended by an administrator\n');
  const recoveries = await measureRecovery();
  table(
    ['Client', 'succeed', 'sign-ins'],
    recoveries.map(({ strategy, ok, signIns }) => [strategy, ok, signIns]),
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
