import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createLogger } from '../../src/index.ts';
import { adminCredentials, startController } from '../support/controller.ts';
import type { Executable } from '../support/executable.ts';
import { runExecutable } from '../support/executable.ts';

const faultyMain = fileURLToPath(new URL('../support/faulty-main.ts', import.meta.url));

function launch(env: Record<string, string>): AsyncDisposable & { server: Executable } {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-unhandled-'));
  // In a clone without a built console, a warning would stand before the line.
  const quiet = { EDGE_CONSOLE: 'false' };
  const settings = { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_PASSWORD: adminCredentials.password, ...quiet, ...env };
  const server = runExecutable([], settings, faultyMain);
  return {
    server,
    async [Symbol.asyncDispose]() {
      server.process.kill('SIGKILL');
      await server.exited;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

describe('an error that nothing handles', () => {
  it.each([
    ['exception', 'a defect'],
    ['rejection', 'a defect'],
    ['rejection without an error', 'not an error: object'],
  ])('ends the executable with 4 and one fatal line without secrets: %s', async (name, message) => {
    await using launched = launch({ EDGE_TEST_DEFECT: name });
    const { server } = launched;
    await server.ready;
    server.process.kill('SIGUSR2');
    expect(await server.exited).toBe(4);
    const lines = server.stderr().trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({ level: 60, err: { type: 'Error', message } });
    expect(server.stderr()).not.toContain('a secret');
  });

  it('is left to the program that embeds a controller', async () => {
    const events = ['uncaughtException', 'unhandledRejection'] as const;
    const before = events.map((event) => process.listenerCount(event));
    await using server = await startController();
    await server.signIn();
    expect(events.map((event) => process.listenerCount(event))).toEqual(before);
  });
});

describe('an event listener that rejects', () => {
  it('is logged and affects nothing else', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } });
    await using server = await startController({ log });
    server.controller.events.on('authentication.succeeded', async () => {
      throw new Error('the listener failed');
    });
    await server.signIn();
    await expect
      .poll(() => lines.map((line) => JSON.parse(line)))
      .toMatchObject([{ event: 'authentication.succeeded', err: { message: 'the listener failed' } }]);
  });
});
