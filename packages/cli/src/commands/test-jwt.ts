import type { Command } from 'commander';
import { completeWith } from '../input/completion-source.ts';
import { printable } from '../lib/printable.ts';
import type { OutputOptions } from '../output/print-result.ts';
import { addOutputOptions, addProfileOption } from './output-options.ts';

const examples = `
Shows each check of the JWT with what was expected and received. It signs nobody in. Ends with 0 when the JWT would be accepted,
otherwise with 1.

Examples:
  edge test-jwt @keycloak token.jwt
  get-token | edge test-jwt @keycloak -
`;

/** `edge test-jwt`. */
export function addTestJwt(command: Command): void {
  command
    .argument('<signer>', 'id or @name of the external JWT signer')
    .argument('<file>', 'file of the JWT, or - for the standard input')
    .addHelpText('after', examples);
  const [signer] = command.registeredArguments;
  if (signer) completeWith(signer, { to: 'externalJwtSigners' });
  addOutputOptions(command);
  addProfileOption(command);
  command.action((given: string, file: string) => testJwt(given, file, command.opts()));
}

async function testJwt(signer: string, file: string, options: OutputOptions & { profile?: string }): Promise<void> {
  const { readTextFile } = await import('../input/read-file.ts');
  const { openClient } = await import('../profiles/open-client.ts');
  const { References } = await import('../input/references.ts');
  const { printRows, printValue } = await import('../output/print-result.ts');
  const { CliError } = await import('../errors/cli-error.ts');
  const token = (await readTextFile(file, '<file>')).trim();
  const edge = await openClient(options.profile);
  try {
    const id = await new References(edge).idOf(signer, 'externalJwtSigners', '<signer>');
    const result = await edge.management.externalJwtSigners.test(id, { token });
    const { output, columns } = options;
    if ((output === 'json' || output === 'yaml') && columns === undefined) await printValue(result, output);
    else
      await printRows(
        result.checks.map((check) => ({ ...check })),
        ['check', 'passed', 'expected', 'received'],
        options,
      );
    const failed = result.checks.filter(({ passed }) => !passed).map(({ check }) => printable(check));
    if (!result.isAccepted) throw new CliError(`the JWT would be refused: ${failed.join(', ')}`);
  } finally {
    edge.dispose();
  }
}
