import type { PolicyAdvice } from '@edge-controller/sdk/node';
import type { Command } from 'commander';
import { Option } from 'commander';
import { completeWith } from '../input/completion-source.ts';
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
      const advice = await edge.management.identities.policyAdvice(id, serviceId);
      await show(advice, output ?? 'text');
    } finally {
      edge.dispose();
    }
  });
}

async function show(advice: PolicyAdvice, output: 'text' | 'json' | 'yaml'): Promise<void> {
  const { print, printable } = await import('../output/terminal.ts');
  const { CliError } = await import('../errors/cli-error.ts');
  const missing = missingIn(advice);
  if (output === 'text') {
    const { isDialAllowed, isBindAllowed, commonRouters } = advice;
    print(`dial: ${isDialAllowed ? 'allowed' : 'not allowed'}`);
    print(`bind: ${isBindAllowed ? 'allowed' : 'not allowed'}`);
    const routers = (commonRouters ?? []).map(({ name, isOnline }) => `${name} (${isOnline ? 'online' : 'offline'})`);
    print(`edge routers: ${printable(routers.join(', ')) || 'none'}`);
  } else {
    const { printValue } = await import('../output/print-result.ts');
    await printValue(advice, output);
  }
  if (missing.length > 0) throw new CliError(`the identity cannot dial the service\n${missing.join('\n')}`);
}

/** What is in the way, and the command that shows more. */
function missingIn({
  identity,
  service,
  isDialAllowed,
  identityRouterCount,
  serviceRouterCount,
  commonRouters,
}: PolicyAdvice) {
  const routers = commonRouters ?? [];
  const [who, what] = [`@${identity.name}`, `@${service.name}`];
  return [
    ...(isDialAllowed
      ? []
      : [`- no service policy of the type Dial selects both: edge identities service-policies ${who}`]),
    ...(identityRouterCount
      ? []
      : [`- no edge router policy gives it a router: edge identities edge-router-policies ${who}`]),
    ...(serviceRouterCount
      ? []
      : [
          `- no service edge router policy gives the service a router: edge services service-edge-router-policies ${what}`,
        ]),
    ...(identityRouterCount && serviceRouterCount && routers.length === 0
      ? ['- the two have no edge router in common']
      : []),
    ...(routers.length > 0 && routers.every(({ isOnline }) => !isOnline)
      ? ['- none of their edge routers is online']
      : []),
  ];
}
