import type { Command } from 'commander';
import { addProfileOption } from './output-options.ts';

/** `edge logout`. */
export function addLogout(command: Command): void {
  command
    .option('--forget', 'remove the profile, too')
    .addHelpText('after', '\nExamples:\n  edge logout\n  edge logout --profile sensor --forget\n');
  addProfileOption(command);
  command.action(async () => {
    const { profile, forget } = command.opts<{ profile?: string; forget?: boolean }>();
    const { openClient } = await import('../profiles/open-client.ts');
    const { profileName, removeProfile } = await import('../profiles/profiles.ts');
    const { note } = await import('../output/terminal.ts');
    const name = await profileName(profile);
    const edge = await openClient(profile);
    const { confirmed } = await edge.signOut();
    edge.dispose();
    if (forget) await removeProfile(name);
    note(
      confirmed
        ? `signed out (profile ${name})`
        : `the session is gone from this machine, but the controller did not respond: it ends there at its timeout`,
    );
  });
}
