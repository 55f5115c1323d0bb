import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runExecutable } from '../support/executable.ts';

let dataDir = '';
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'edge-command-line-'));
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

async function run(...args: string[]) {
  const started = runExecutable(args, { EDGE_DATA_DIR: dataDir });
  const code = await started.exited;
  return { code, out: started.stdout(), err: started.stderr() };
}

describe('the command line', () => {
  it('takes a flag with its value behind it or behind "="', async () => {
    const [separate, inline] = await Promise.all([
      run('config', 'check', '--port', '70000'),
      run('config', 'check', '--port=70001'),
    ]);
    expect(separate).toMatchObject({ code: 2, err: expect.stringContaining('--port: got "70000"') });
    expect(inline).toMatchObject({ code: 2, err: expect.stringContaining('--port: got "70001"') });
    expect(await run('config', '--port', '7000', 'check')).toMatchObject({ code: 0 });
  });

  it('takes a value that begins with "-" behind "=" only', async () => {
    const [inline, separate] = await Promise.all([
      run('config', 'check', '--host=-x y'),
      run('config', 'check', '--host', '--port', '5'),
    ]);
    expect(inline).toMatchObject({ code: 2, err: expect.stringContaining('--host: got "-x y"') });
    expect(separate).toMatchObject({ code: 2, err: expect.stringContaining('--host needs a value') });
  });

  it('names a flag that has no value, and ends with 2', async () => {
    expect(await run('--port')).toMatchObject({ code: 2, err: expect.stringContaining('--port needs a value') });
  });

  it('names unknown flags together with all other problems', async () => {
    const { code, err } = await run('--prot', '5', '--__proto__=x', '--admin-password', 'hunter2', '--port', 'x');
    expect(code).toBe(2);
    for (const name of ['--prot: got an unknown flag', '--__proto__: ', '--admin-password: ', '--port: got "x"']) {
      expect(err).toContain(name);
    }
    expect(err).not.toContain('hunter2');
  });

  it('refuses unknown commands and unknown short flags', async () => {
    const [command, flag] = await Promise.all([run('config', 'dance'), run('-x')]);
    expect(command).toMatchObject({ code: 2, err: expect.stringContaining('unknown command "config dance"') });
    expect(flag).toMatchObject({ code: 2, err: expect.stringContaining('unknown flag -x') });
  });

  it('shows its flags and its version, whatever else is wrong', async () => {
    const [help, version] = await Promise.all([run('--help', '--port', 'x'), run('-v')]);
    expect(help).toMatchObject({ code: 0, out: expect.stringContaining('--session-timeout') });
    expect(help.out).not.toContain('--seal-key');
    expect(version.out).toMatch(/^v\d+\.\d+\.\d+\n$/);
  });
});
