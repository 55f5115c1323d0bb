import type { ApiName } from '@edge-controller/operation-tables';
import type { ApiTree } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isSignIn } from '../src/commands/operation.ts';
import { ownCommands } from '../src/commands/own-commands.ts';
import { createProgram } from '../src/commands/program.ts';
import { kebabCase } from '../src/lib/option-name.ts';

const trees: Readonly<Record<ApiName, ApiTree>> = { client: clientApi, management: managementApi };
const operations = Object.entries(trees).flatMap(([api, tree]) =>
  Object.entries(tree).flatMap(([resource, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ api, resource, verb, operation })),
  ),
);

/** The command of an operation with all its options. */
async function commandOf(api: string, resource: string, verb: string): Promise<Command> {
  const path = [...(api === 'client' ? ['client'] : []), kebabCase(resource), kebabCase(verb)];
  const program = await createProgram(path, '0.0.0');
  return path.reduce((command, name) => {
    const found = command.commands.find((one) => one.name() === name);
    if (found === undefined) throw new Error(`${command.name()} has no command ${name}`);
    return found;
  }, program);
}

const optionsOf = (command: Command) => command.options.map(({ long }) => String(long));

/** The options that a member of a body, a query or headers may have. */
const allowed = (name: string) => {
  const flag = kebabCase(name);
  return [`--${flag}`, `--${flag}-stdin`, `--no-${flag}`];
};

describe('every operation of both trees', () => {
  it.each(operations.filter(({ resource, verb }) => !isSignIn(resource, verb)))(
    'has the command $api $resource $verb',
    async ({ api, resource, verb, operation }) => {
      const command = await commandOf(api, resource, verb);
      expect(command.description()).toBe(operation.summary);
      const path = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => kebabCase(name));
      expect(command.registeredArguments.map((argument) => argument.name())).toEqual(path);
      const options = optionsOf(command);
      expect(new Set(options).size, options.join(' ')).toBe(options.length);
      const { body, query, headers } = operation;
      const element = body instanceof z.ZodArray ? body.element : body;
      for (const schema of [element, query, headers]) {
        if (!(schema instanceof z.ZodObject)) continue;
        const names = Object.keys(schema.shape).filter((name) => name !== 'authorization');
        const missing = names.filter((name) => !allowed(name).some((option) => options.includes(option)));
        expect(missing).toEqual([]);
      }
      expect(options.includes('--body')).toBe(body !== undefined);
      expect(command.helpInformation()).toContain('edge');
    },
  );

  it('has a sign-in: edge login', () => {
    const signIns = operations.filter(({ resource, verb }) => isSignIn(resource, verb));
    expect(signIns.map(({ operation }) => operation.path)).toEqual(['/authenticate', '/authenticate']);
    expect(Object.keys(ownCommands)).toContain('login');
  });

  it('has a name that no other command has', () => {
    const names = [...Object.keys(ownCommands), 'client', 'complete', ...Object.keys(managementApi).map(kebabCase)];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the options of an entity', () => {
  it('come from its schemas, at every depth', async () => {
    const options = optionsOf(await commandOf('management', 'authPolicies', 'create'));
    for (const option of ['--name', '--primary', '--primary.updb', '--primary.updb.min-password-length']) {
      expect(options).toContain(option);
    }
    expect(options).toContain('--no-primary.cert.allowed');
  });

  it('have the doc comments of the contract', async () => {
    const help = (await commandOf('management', 'identities', 'create')).helpInformation();
    expect(help).toContain('Administrators have every permission.');
    expect(help).toContain('User, Device, Service, Router, Default');
  });

  it('never take a secret', async () => {
    const options = optionsOf(await commandOf('management', 'authenticators', 'create'));
    expect(options).toContain('--password-stdin');
    expect(options).not.toContain('--password');
  });
});
