import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

const scripts = fileURLToPath(new URL('../../../../scripts', import.meta.url));

/** Stands for pnpm and turbo, which install and build. */
const fakeNpx = `#!/bin/sh
case "$*" in
  *audit*--prod*) echo "$FAKE_AUDIT"; [ -z "$FAKE_AUDIT" ] || exit 1 ;;
  *audit*) echo "$FAKE_AUDIT_OF_TOOLS"; [ -z "$FAKE_AUDIT_OF_TOOLS" ] || exit 1 ;;
  *install*) mkdir -p node_modules/.pnpm/koa@3.0.0 node_modules/.pnpm/ky@2.0.0 ;;
  *--filter*)
    [ -n "$FAKE_FAILURE" ] && { echo "$FAKE_FAILURE"; exit 3; }
    echo "@edge-controller/server:build: cache miss, executing 0123456789abcdef"
    echo "@edge-controller/sdk:build: cache hit, suppressing logs 0123456789abcdef" ;;
esac
`;

/** A clone in which nothing is installed, whose controller only says that it listens. */
function clone(): string {
  const root = mkdtempSync(join(tmpdir(), 'edge-clone-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, content: string, mode = 0o644) => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content, { mode });
  };
  cpSync(scripts, join(root, 'scripts'), { recursive: true });
  write('package.json', JSON.stringify({ type: 'module', packageManager: 'pnpm@1.0.0' }));
  write('pnpm-lock.yaml', 'lockfileVersion: 9.0\n');
  write('node_modules/.bin/npx', fakeNpx, 0o755);
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/node'));
  write(
    'packages/server/dist/main.js',
    `console.log(process.argv.slice(2).join() + ' listening on https://localhost:1')`,
  );
  write('packages/sdk/dist/index.js', 'x'.repeat(1_234_567));
  return root;
}

function spawnScript(root: string, args: readonly string[], env: Record<string, string> = {}) {
  return spawn(process.execPath, [...args], {
    ...{ cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH, ...env },
  });
}

async function start(root: string, { args = [] as string[], env = {} as Record<string, string> } = {}) {
  const child = spawnScript(root, ['scripts/start.mjs', ...args], env);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout!), text(child.stderr!), once(child, 'exit')]);
  return { stdout, stderr, code };
}

it('npm start prints its stages as plain lines on standard error when there is no terminal', async () => {
  const root = clone();
  const first = await start(root);
  expect(first.stderr.replace(/\d+\.\d s/g, 'N s').split('\n')).toEqual([
    'installing   dependencies',
    'installed    2 packages  N s',
    'building     server',
    'built        server  1 KB',
    'built        sdk  1.2 MB, unchanged',
    'built        2 packages  N s',
    'starting     the controller',
    '',
  ]);
  expect([first.stdout, first.code]).toEqual(['run listening on https://localhost:1\n', 0]);
  const second = await start(root, { args: ['--version'] });
  expect(second.stderr).not.toMatch(/install|starting/);
  expect(second.stdout).toBe('--version listening on https://localhost:1\n');
});

it('npm start shows the output of a build that fails, and ends with its exit code', async () => {
  const { stdout, stderr, code } = await start(clone(), { env: { FAKE_FAILURE: 'error TS2345' } });
  expect(stderr).toContain('error TS2345\n');
  expect([stdout, code]).toEqual(['', 3]);
});

it('npm run check and the like end as the program that they start with the installed Node', async () => {
  const root = clone();
  const program = `const [first, ...others]: string[] = process.argv.slice(2);
process.on('SIGTERM', () => process.exit(7));
console.log([process.execPath, first, others.length].join());
setTimeout(() => process.exit(1), 20_000);
`;
  writeFileSync(join(root, 'scripts/generate.ts'), program);
  const child = spawnScript(root, ['scripts/run.mjs', 'generate', '--check', 'b c']);
  const [output] = await once(child.stdout!, 'data');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect([String(output), code]).toEqual([`${process.execPath},--check,1\n`, 7]);
});

it('the stages have colour on a terminal only, and not with NO_COLOR', async () => {
  const { createStages } = await import(join(scripts, 'stages.mjs'));
  const print = (isTTY: boolean, env: Record<string, string>) => {
    let written = '';
    createStages({ isTTY, write: (line: string) => (written += line) }, env).done('built', 'sdk', '34 KB');
    return written;
  };
  expect(print(true, {})).toContain('\u001b[32mbuilt');
  expect([print(false, {}), print(true, { NO_COLOR: '1' }), print(true, { TERM: 'dumb' })]).toEqual(
    Array(3).fill('built        sdk  34 KB\n'),
  );
});

const noAnswer = 'Error: ERR_PNPM_AUDIT_BAD_RESPONSE';
it.each([
  [0, 'nothing is known to be vulnerable', '', ''],
  [1, 'a dependency is vulnerable', '1 vulnerabilities found', ''],
  [1, 'a tool is vulnerable', '', '1 vulnerabilities found'],
  [1, 'a tool is vulnerable and there was no answer about dependencies', noAnswer, '1 vulnerabilities found'],
  [3, 'the registry gives no answer', noAnswer, noAnswer],
  [3, 'the registry gives half an answer', '', noAnswer],
])('npm run audit ends with %i when %s', async (code, _when, FAKE_AUDIT, FAKE_AUDIT_OF_TOOLS) => {
  const child = spawnScript(clone(), ['scripts/audit.mjs'], { FAKE_AUDIT, FAKE_AUDIT_OF_TOOLS });
  const [stderr, [ended]] = await Promise.all([text(child.stderr!), once(child, 'exit')]);
  expect(ended).toBe(code);
  expect(stderr.includes('NOT known')).toBe(code === 3);
});
