import type { Command } from 'commander';
import type { OutputOptions } from '../output/print-result.ts';
import { addOutputOptions, addProfileOption } from './output-options.ts';

/** `edge whoami`. */
export function addWhoami(command: Command): void {
  addOutputOptions(command);
  addProfileOption(command);
  command.addHelpText(
    'after',
    '\nExamples:\n  edge whoami\n  edge whoami --output json --columns identity.name,expiresAt\n',
  );
  command.action(async () => {
    const options = command.opts<OutputOptions & { profile?: string }>();
    const { openClient } = await import('../profiles/open-client.ts');
    const { profileName, readProfile } = await import('../profiles/profiles.ts');
    const { printDetail } = await import('../output/print-result.ts');
    const name = await profileName(options.profile);
    const edge = await openClient(options.profile);
    try {
      // Looking at a session is no use of it.
      const session = await edge.client.currentApiSession.get({ touch: 'false' }).catch(async (error: unknown) => {
        throw await endedError(error, name);
      });
      const { id, identity, expiresAt, authQueries, ipAddress } = session;
      const asked = authQueries.map(({ typeId }) => typeId ?? 'unknown');
      const { isAdmin } = asked.length > 0 ? { isAdmin: null } : await edge.client.currentIdentity.get();
      const profile = await readProfile(name);
      const state = asked.length > 0 ? `partial, asks for ${asked.join(', ')}` : 'full';
      const who = { id: identity.id, name: identity.name };
      await printDetail(
        {
          profile: name,
          url: profile?.url,
          identity: who,
          identityId: who.id,
          isAdmin,
          session: id,
          state,
          expiresAt,
          ipAddress,
        },
        options,
      );
    } finally {
      edge.dispose();
    }
  });
}

/** Anybody may look at their own session, so a refusal means that there is none. */
async function endedError(error: unknown, name: string): Promise<unknown> {
  const { isEdgeApiError } = await import('@edge-controller/sdk/node');
  if (!isEdgeApiError(error) || error.status !== 401) return error;
  const { CliError } = await import('../errors/cli-error.ts');
  const { exitCodes } = await import('../errors/exit-codes.ts');
  const { loginCommand, readProfile } = await import('../profiles/profiles.ts');
  const login = loginCommand(name, await readProfile(name));
  return new CliError(`the session has ended\nSign in: ${login}`, exitCodes.notSignedIn, { cause: error });
}
