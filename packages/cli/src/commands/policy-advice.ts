import type { NodeEdgeClient, PolicyAdvice } from '@edge-controller/sdk/node';
import type { Command } from 'commander';
import { Option } from 'commander';
import { completeWith } from '../input/completion-source.ts';
import { printable } from '../lib/printable.ts';
import { addProfileOption } from './output-options.ts';

const examples = `
Ends with 0 when the identity can dial the service, otherwise with 1.

Examples:
  edge policy-advice @sensor-1 @web
  edge policy-advice @sensor-1 @web --output json
`;

/** `edge policy-advice`. */
export function addPolicyAdvice(command: Command): void {
  command
    .argument('<identity>', 'id or @name')
    .argument('<service>', 'id or @name')
    .addOption(new Option('-o, --output <format>', 'default: text').choices(['text', 'json', 'yaml']))
    .addHelpText('after', examples);
  const [identity, service] = command.registeredArguments;
  if (identity) completeWith(identity, { to: 'identities' });
  if (service) completeWith(service, { to: 'services' });
  addProfileOption(command);
  command.action(async (given: string, to: string) => {
    const { output, profile } = command.opts<{ output?: 'text' | 'json' | 'yaml'; profile?: string }>();
    const { openClient } = await import('../profiles/open-client.ts');
    const { References } = await import('../input/references.ts');
    const edge = await openClient(profile);
    try {
      const references = new References(edge);
      const id = await references.idOf(given, 'identities', '<identity>');
      const serviceId = await references.idOf(to, 'services', '<service>');
      const advice = await edge.management.identities.policyAdvice(id, serviceId).catch(async (error: unknown) => {
        const { withNameHint } = await import('../input/name-hints.ts');
        const params = [
          { name: 'identity', to: 'identities' },
          { name: 'service', to: 'services' },
        ];
        throw await withNameHint(error, {
          api: 'management',
          command: 'edge policy-advice',
          params,
          args: [given, to],
        });
      });
      await show(edge, advice, output ?? 'text');
    } finally {
      edge.dispose();
    }
  });
}

async function show(edge: NodeEdgeClient, advice: PolicyAdvice, output: 'text' | 'json' | 'yaml'): Promise<void> {
  const { note, print } = await import('../output/terminal.ts');
  const { CliError } = await import('../errors/cli-error.ts');
  const { readPolicies } = await import('./advice-policies.ts');
  const { linesOf, obstaclesOf } = await import('./advice-text.ts');
  const policies = await readPolicies(edge, advice);
  const obstacles = obstaclesOf(advice, policies);
  if (output === 'text') {
    const lines = linesOf(advice, policies, obstacles.length === 0);
    print(lines.map((line) => printable(line)).join('\n'));
  } else {
    const { printValue } = await import('../output/print-result.ts');
    await printValue(advice, output);
  }
  if (policies === null) note('You may not read the policies, so the posture checks are unknown.');
  if (obstacles.length > 0) {
    const lines = obstacles.map((line) => printable(line));
    throw new CliError(`the identity cannot dial the service\n${lines.join('\n')}`);
  }
}
