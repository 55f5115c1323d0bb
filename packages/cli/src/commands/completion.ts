import type { Command } from 'commander';
import { Argument } from 'commander';
import { completionScripts } from '../completion/scripts.ts';
import { print } from '../output/terminal.ts';

const examples = `
Examples:
  source <(edge completion bash)                                  # in ~/.bashrc
  source <(edge completion zsh)                                   # in ~/.zshrc, after compinit
  edge completion fish > ~/.config/fish/completions/edge.fish
  edge completion powershell | Out-String | Invoke-Expression     # in $PROFILE

Names of entities come from the controller of the profile.
`;

/** `edge completion`. */
export function addCompletion(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'whose script to print').choices(Object.keys(completionScripts)))
    .addHelpText('after', examples)
    .action((shell: string) => print(completionScripts[shell] ?? ''));
}

/** `edge complete -- words`: what the scripts call. */
export function addComplete(command: Command): void {
  command.argument('[words...]', 'the words of the line, the last one unfinished').action(async (words: string[]) => {
    const { complete } = await import('../completion/complete.ts');
    const candidates = await complete(words);
    for (const { value, about } of candidates) print(about ? `${value}\t${about.replace(/\s+/g, ' ')}` : value);
  });
}
