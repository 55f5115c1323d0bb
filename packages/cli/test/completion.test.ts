import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTestController } from '@edge-controller/sdk/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Edge } from './support/edge.ts';
import { createEdge, signedInEdge } from './support/edge.ts';
import { offered, requireShell } from './support/shell.ts';

let controller: Awaited<ReturnType<typeof startTestController>>;
beforeAll(async () => {
  controller = await startTestController();
});
afterAll(() => controller[Symbol.asyncDispose]());

const signedIn = () => signedInEdge(controller);

/** The values that a shell gets for a line. */
async function complete(edge: Edge, line: string): Promise<string[]> {
  const output = await edge.ok(['complete', '--', ...line.split(' ')]);
  return output === '' ? [] : output.split('\n').map((candidate) => candidate.split('\t')[0] ?? '');
}

describe('completion', () => {
  it('has commands, verbs, options and their values, without a session', async () => {
    const edge = createEdge();
    expect(await complete(edge, 'auth')).toEqual(expect.arrayContaining(['authenticators', 'auth-policies']));
    expect(await complete(edge, 'comp')).toEqual(['completion']);
    expect(await complete(edge, 'identities en')).toEqual(['enable', 'enrollments']);
    expect(await complete(edge, 'client services ed')).toEqual(['edge-routers']);
    expect(await complete(edge, 'identities create --role')).toEqual(['--role-attributes']);
    expect(await complete(edge, 'identities create --type D')).toEqual(['Device', 'Default']);
    expect(await complete(edge, 'identities list --output ')).toEqual(['table', 'json', 'yaml', 'csv']);
    expect(await complete(edge, 'identities get @s')).toEqual([]);
  });

  it('has names and ids from the controller', async () => {
    const edge = await signedIn();
    const { services } = controller.admin.management;
    for (const name of ['web-1', 'web-2', 'mail']) await services.create({ name, encryptionRequired: true });
    expect(await complete(edge, 'services get @web')).toEqual(['@web-1', '@web-2']);
    expect(await complete(edge, 'service-policies create --service-roles #all,@ma')).toEqual(['#all,@mail']);
    expect(await complete(edge, 'services delete @web-1 @web')).toEqual(['@web-1', '@web-2']);
    expect(await complete(edge, 'policy-advice @x @mai')).toEqual(['@mail']);
    expect(await complete(edge, 'whoami --profile d')).toEqual(['default']);
    const [session = ''] = (await edge.ok(['api-sessions', 'list', '-q'])).split('\n');
    expect(await complete(edge, `api-sessions get ${session.slice(0, 5)}`)).toContain(session);
  });

  it.each(['bash', 'zsh', 'fish'] as const)(
    'in %s takes the words of the line, and runs nothing that stands in them or in names',
    async (shell) => {
      if (shell !== 'bash') requireShell(shell);
      const edge = await signedIn();
      const { services } = controller.admin.management;
      const names = [`${shell}-1`, `${shell}-$(touch pwned)`, `${shell}-\`touch pwned\``, `${shell};touch pwned`];
      for (const name of names) await services.create({ name, encryptionRequired: true });
      const program = fileURLToPath(new URL('../src/bin.ts', import.meta.url));
      const start = `#!/bin/sh\nexec node --conditions=source --no-warnings ${program} "$@"\n`;
      writeFileSync(join(edge.folder, 'edge'), start, { mode: 0o755 });
      symlinkSync(process.execPath, join(edge.folder, 'node'));
      writeFileSync(join(edge.folder, `completion.${shell}`), await edge.ok(['completion', shell]));
      const env = { PATH: `${edge.folder}:${process.env.PATH}`, EDGE_CONFIG_DIR: edge.folder, HOME: edge.folder };
      const replies = (line: string) => offered(shell, line, { cwd: edge.folder, env });
      // Readline keeps what stands before the @.
      const found = [shell === 'bash' ? 'bash-1' : `@${shell}-1`];
      expect(await replies(`edge services get @${shell}`)).toEqual(found);
      expect(await replies(`edge services delete $(touch\${IFS}pwned) @${shell}`)).toEqual(found);
      expect(await replies('edge identities crea')).toEqual(['create']);
      expect(existsSync(join(edge.folder, 'pwned'))).toBe(false);
    },
  );

  it('takes the words of PowerShell from a variable, since empty arguments and -- do not always come through', async () => {
    const edge = await signedIn();
    await controller.admin.management.services.create({ name: 'power-1', encryptionRequired: true });
    const offers = async (...words: readonly string[]) => {
      const { code, stdout } = await edge.run(['complete'], { env: { EDGE_COMPLETE: ['edge', ...words].join('\n') } });
      expect(code).toBe(0);
      return stdout.split('\n').map((line) => line.split('\t', 1)[0]);
    };
    expect(await offers('')).toContain('identities');
    expect(await offers('identities', '')).toContain('create');
    expect(await offers('identities', 'create', '--ty')).toEqual(['--type', '']);
    expect(await offers('services', 'get', '@power')).toEqual(['@power-1', '']);
    expect((await edge.run(['complete'])).code).toBe(2);
  });

  it('has a script for each shell', async () => {
    const edge = createEdge();
    for (const shell of ['bash', 'zsh', 'fish']) {
      expect(await edge.ok(['completion', shell])).toContain('edge complete --');
    }
    expect(await edge.ok(['completion', 'powershell'])).toContain('$env:EDGE_COMPLETE = $words');
    expect((await edge.run(['completion', 'tcsh'])).stderr).toContain(
      'Allowed choices are bash, zsh, fish, powershell',
    );
  });
});
