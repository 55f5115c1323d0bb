import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { adminCredentials } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { createWire } from '../support/request.ts';

it.each(['SIGTERM', 'SIGKILL'] as const)('list processes start with the first list and end with %s', async (signal) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-list-processes-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = runExecutable([], { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_PASSWORD: adminCredentials.password });
  onTestFinished(() => void server.process.kill('SIGKILL'));
  const wire = createWire(await server.ready, join(dataDir, 'pki', 'ca.pem'));
  const { body } = await wire('POST', '/edge/management/v1/authenticate?method=password', { body: adminCredentials });
  const { token } = body.data;
  expect(childrenOf(server.process.pid)).toEqual([]);
  for (const path of ['identities', 'api-sessions', 'identities']) {
    const response = await wire('GET', `/edge/management/v1/${path}`, { token });
    expect([path, response.status, response.body.data.length]).toEqual([path, 200, 1]);
  }
  const children = childrenOf(server.process.pid);
  expect(children).toHaveLength(2);
  // Secrets of the controller may be in its environment.
  for (const child of children) expect(readFileSync(`/proc/${child}/environ`, 'utf8')).not.toContain('EDGE_');
  server.process.kill(signal);
  expect(await server.exited).toBe(signal === 'SIGTERM' ? 0 : null);
  await expect.poll(() => children.filter((child) => existsSync(`/proc/${child}`))).toEqual([]);
});

function childrenOf(parent: number | undefined): string[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean);
}
