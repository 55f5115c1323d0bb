import type { Command } from 'commander';
import { Argument } from 'commander';
import { print } from '../output/terminal.ts';
import { completionScripts } from './completion-scripts.ts';

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
