import type { Command } from 'commander';
import { Option } from 'commander';
import { usageError } from '../errors/cli-error.ts';
import { addProfileOption } from './output-options.ts';

const help = `
Secrets are never exported: keys, passwords and enrollments stay where they are.

Examples:
  edge export > network.yaml
  edge export services configs servicePolicies --filter 'tags.network = "office"'
`;

interface ExportFlags {
  readonly filter?: string;
  readonly output?: 'yaml' | 'json';
  readonly profile?: string;
}

/** `edge export`. */
export function addExport(command: Command): void {
  command
    .argument('[resources...]', 'services, configs, … as a network file names them (default: all)')
    .option('--filter <condition>', 'only the entities that it selects: tags.network = "office"')
    .addOption(new Option('-o, --output <format>', 'default: yaml').choices(['yaml', 'json']))
    .addHelpText('after', help);
  addProfileOption(command);
  command.action((resources: string[]) => exportAll(resources, command.opts()));
}

async function exportAll(
  resources: readonly string[],
  { filter, output = 'yaml', profile }: ExportFlags,
): Promise<void> {
  const { loadKinds } = await import('../apply/kinds.ts');
  const { exportNetwork } = await import('../apply/export.ts');
  const { printValue } = await import('../output/print-result.ts');
  const { openClient } = await import('../profiles/open-client.ts');
  const kinds = await loadKinds();
  const names = resources.map((name) => name.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase()));
  const unknown = names.filter((name) => !kinds.has(name));
  if (unknown.length > 0) throw usageError(`${unknown.join(', ')}: must be one of ${[...kinds.keys()].join(', ')}`);
  const edge = await openClient(profile);
  try {
    const network = await exportNetwork(edge, {
      kinds,
      resources: names,
      ...(filter !== undefined && { condition: filter }),
    });
    await printValue(network, output);
  } finally {
    edge.dispose();
  }
}
