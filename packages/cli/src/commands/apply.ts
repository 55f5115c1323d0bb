import type { Command } from 'commander';
import type { Tag } from '../apply/plan.ts';
import { usageError } from '../errors/cli-error.ts';
import { addProfileOption } from './output-options.ts';

const help = `
The file has a list of entities for each resource, in YAML or JSON. Members have the names of the API. A reference is the name of
the entity, a role is @name, #attribute or #all:

  configs:
    - { name: web.host, configTypeId: host.v1, data: { address: localhost, port: 80, protocol: tcp } }
  services:
    - { name: web, encryptionRequired: true, configs: [web.host], roleAttributes: [web] }
  servicePolicies:
    - { name: web, type: Dial, semantic: AnyOf, serviceRoles: ['@web'], identityRoles: ['#staff'] }

Entities are found by their names. What the file leaves out stays as it is. The difference is shown first. A second run changes
nothing; after a failure it goes on where the first one stopped.

Examples:
  edge apply -f network.yaml --dry-run
  edge apply -f network.yaml --tag network=office --prune
  edge export services configs > network.yaml
`;

interface ApplyFlags {
  readonly file: string;
  readonly dryRun?: boolean;
  readonly tag?: string;
  readonly prune?: boolean;
  readonly quiet?: boolean;
  readonly profile?: string;
}

/** `edge apply`. */
export function addApply(command: Command): void {
  command
    .requiredOption('-f, --file <file>', 'the network file, or - for the standard input')
    .option('--dry-run', 'show the difference and change nothing')
    .option('--tag <key=value>', 'mark the entities of the file with a tag')
    .option('--prune', 'delete entities that have the tag and are not in the file')
    .option('-q, --quiet', 'only the last line of the difference')
    .addHelpText('after', help);
  addProfileOption(command);
  command.action(() => apply(command.opts()));
}

async function apply({ file, dryRun, tag, prune, quiet, profile }: ApplyFlags): Promise<void> {
  if (prune && tag === undefined) throw usageError('--prune needs --tag: it deletes only what has the tag');
  const { loadKinds } = await import('../apply/kinds.ts');
  const { readNetworkFile } = await import('../apply/network-file.ts');
  const { makePlan } = await import('../apply/plan.ts');
  const { printPlan } = await import('../apply/print-plan.ts');
  const { runPlan } = await import('../apply/run-plan.ts');
  const { openClient } = await import('../profiles/open-client.ts');
  const kinds = await loadKinds();
  const wanted = await readNetworkFile(file, kinds);
  const edge = await openClient(profile);
  try {
    const plan = await makePlan(edge, wanted, {
      kinds,
      tag: tag === undefined ? null : tagOf(tag),
      prunes: Boolean(prune),
    });
    printPlan(plan, { isQuiet: Boolean(quiet) });
    if (!dryRun) await runPlan(edge, plan);
  } finally {
    edge.dispose();
  }
}

function tagOf(text: string): Tag {
  const [, key, value] = /^([A-Za-z][\w-]*)=(.+)$/.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw usageError(`--tag ${JSON.stringify(text)}: must be key=value; a key has letters, digits, - and _`);
  }
  return { key, value };
}
