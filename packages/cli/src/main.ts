import { exitCodes } from './errors/exit-codes.ts';
import { explainError } from './errors/explain-error.ts';
import { linesToComplete } from './profiles/environment.ts';

/** Runs a command. Resolves to the exit code. */
export async function main(given: readonly string[], version: string): Promise<number> {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given;
  // Nothing is loaded for it: scripts ask for the version at each start.
  if (args.length === 1 && /^(-V|--version)$/.test(args[0] ?? '')) {
    const { print } = await import('./output/terminal.ts');
    print(version);
    return exitCodes.ok;
  }
  const { endWithReader } = await import('./output/terminal.ts');
  endWithReader((isFailure) => process.exit(isFailure ? exitCodes.failed : exitCodes.ok));
  try {
    const words = wordsToComplete(args);
    if (words !== null) {
      const { printCandidates } = await import('./completion/complete.ts');
      await printCandidates(words);
      return exitCodes.ok;
    }
    const { createProgram } = await import('./commands/program.ts');
    const program = await createProgram(args, version);
    await program.parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    return report(error, args);
  }
}

/** The words that a completion script asks about: arguments, or what stands in the environment. Null: no script asks. */
function wordsToComplete([command, dashes, ...words]: readonly string[]): readonly string[] | null {
  if (command !== 'complete') return null;
  if (dashes === '--') return words;
  return dashes === undefined ? (linesToComplete()?.slice(1) ?? null) : null;
}

/** Says on standard error what failed. */
async function report(error: unknown, args: readonly string[]): Promise<number> {
  if (isCommanderError(error)) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  const { message, exitCode } = explainError(error, await loginFor(args));
  const { note, styledError } = await import('./output/terminal.ts');
  const [first = '', ...rest] = message.split('\n');
  note([styledError('red', `edge: ${first}`), ...rest].join('\n'));
  return exitCode;
}

/** Commander has written the text of its errors already. */
function isCommanderError(error: unknown): error is { readonly exitCode: number } {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('commander.');
}

/** The command that signs in to the profile of a command again. */
async function loginFor(args: readonly string[]): Promise<string> {
  const { loginCommand, profileName, readProfile } = await import('./profiles/profiles.ts');
  const at = args.findIndex((arg) => arg === '--profile' || arg === '-p');
  try {
    const name = await profileName(at < 0 ? undefined : args[at + 1]);
    return loginCommand(name, await readProfile(name));
  } catch {
    return 'edge login <url>';
  }
}
