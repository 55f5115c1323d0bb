import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rename, rm, symlink, utimes } from 'node:fs/promises';
import { networkInterfaces, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import systeminformation from 'systeminformation';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { devicePosture } from '../index.ts';
import { FileHashes } from './file-hashes.ts';
import { programsOf } from './running-programs.ts';

const { signal } = new AbortController();
const sha512 = async (path: string) =>
  createHash('sha512')
    .update(await readFile(path))
    .digest('hex');

test('the operating system is Linux, with the three numbers of its kernel', async () => {
  const [version] = /^\d+\.\d+\.\d+/.exec(release()) ?? [];
  expect(await devicePosture().os?.({ signal })).toEqual({ type: 'Linux', version, build: release() });
});

test('the domain is empty on Linux', async () => {
  expect(await devicePosture().domain?.({ signal })).toBe('');
});

test('the MAC addresses are those of real interfaces, each once, in one order', async () => {
  const { deviceMac } = await import('./device-mac.ts');
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const addresses = await devicePosture().mac?.({ signal });
  expect(addresses).toEqual(deviceMac());
  expect(all.filter(({ internal }) => !internal).map(({ mac }) => mac)).toEqual(
    expect.arrayContaining([...(addresses ?? [])]),
  );
  expect(addresses).not.toContain('00:00:00:00:00:00');
  expect([...new Set(addresses)].sort()).toEqual(addresses);
});

describe('a process', () => {
  let folder: string;
  let program: string;
  let child: ChildProcess;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'edge-posture-'));
    program = join(folder, 'agent with a space');
    await copyFile('/bin/sleep', program);
    child = spawn(program, ['60']);
    await new Promise((resolve) => child.once('spawn', resolve));
  });
  afterAll(async () => {
    child.kill();
    await rm(folder, { recursive: true });
  });

  const look = async (path: string, provider = devicePosture()) =>
    provider.process?.({ path, osType: 'Linux', signal });

  test('that runs has the SHA-512 of its program, also by another name of the file', async () => {
    const running = { isRunning: true, hash: await sha512(program) };
    expect(await look(program)).toEqual(running);
    const link = join(folder, 'link');
    await symlink(program, link);
    expect(await look(link)).toEqual(running);
  });

  test('that does not run has no hash, whether its program is there or not', async () => {
    const other = join(folder, 'other');
    await copyFile('/bin/sleep', other);
    const provider = devicePosture();
    const paths = [other, join(folder, 'missing'), 'C:\\agent.exe', ''];
    for (const path of paths) expect(await look(path, provider)).toEqual({ isRunning: false });
  });

  test('whose file was replaced since its start does not count', async () => {
    const replaced = join(folder, 'replaced');
    await copyFile('/bin/sleep', replaced);
    const old = spawn(replaced, ['60']);
    await new Promise((resolve) => old.once('spawn', resolve));
    const provider = devicePosture();
    expect(await look(replaced, provider)).toMatchObject({ isRunning: true });
    await copyFile('/bin/true', `${replaced}.new`);
    await rename(`${replaced}.new`, replaced);
    expect(await look(replaced, provider)).toEqual({ isRunning: false });
    old.kill();
  });

  test('many are looked up with one list', async () => {
    const provider = devicePosture();
    const all = await Promise.all([program, process.execPath, '/missing'].map((path) => look(path, provider)));
    expect(all.map((one) => one?.isRunning)).toEqual([true, true, false]);
  });

  test('a list of the library has whole paths', async () => {
    const spawned = spawn('/bin/sleep', ['60']);
    await new Promise((resolve) => spawned.once('spawn', resolve));
    const { list } = await systeminformation.processes();
    spawned.kill();
    expect(programsOf(list, 'darwin')).toContain('/bin/sleep');
  });

  test('a list of Windows has whole paths, and gaps', () => {
    const list = [
      { command: '"C:\\Program Files\\Agent\\agent.exe" -x', path: 'C:\\Program Files\\Agent\\agent.exe' },
      { command: 'System', path: null },
    ];
    expect(programsOf(list, 'win32')).toEqual(new Set(['C:\\Program Files\\Agent\\agent.exe']));
  });
});

test('a file is hashed again only when its time or size has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'edge-posture-'));
  const path = join(folder, 'program');
  const hashes = new FileHashes();
  await expect(hashes.of(path)).rejects.toMatchObject({ code: 'ENOENT' });
  await copyFile('/bin/sleep', path);
  await utimes(path, 1, 1);
  const first = await hashes.of(path);
  expect(first).toBe(await sha512(path));
  await copyFile('/bin/true', path);
  expect(await hashes.of(path)).toBe(await sha512(path));
  await rm(folder, { recursive: true });
});
