import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { aptInstall } from '../../../../scripts/apt-install.ts';

const run = promisify(execFile);

/** Says how a shell is found: on the PATH, or installed as root on Debian. */
export function requireShell(name: 'zsh' | 'fish'): void {
  const isThere = () => spawnSync(name, ['-c', 'true']).status === 0;
  if (isThere()) return;
  if (aptInstall(name) && isThere()) return;
  throw new Error(`${name} was not found. Install it to run the tests of its completion.`);
}

const scripts = {
  bash: `source completion.bash; COMP_LINE=$1; COMP_POINT=\${#1}; _edge; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The function runs outside of the line editor, so what the editor brings along is replaced.
  zsh: `compdef() { : }; _files() { : }; compadd() { print -rl -- "\${values[@]}" }
source completion.zsh; words=("\${(@s. .)1}"); CURRENT=\${#words}; _edge`,
  fish: 'source completion.fish; complete -C $argv[1]',
};

/** What a shell offers for a line, with the script `completion.<shell>` in the folder. */
export async function offered(
  shell: keyof typeof scripts,
  line: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const [noFiles, rest] = { bash: [['--norc'], ['bash']], zsh: [['-f'], ['zsh']], fish: [['--no-config'], []] }[shell];
  const args = [...(noFiles ?? []), '-c', scripts[shell], ...(rest ?? []), line];
  const { stdout } = await run(shell, args, options);
  return stdout
    .trim()
    .split('\n')
    .map((value) => value.split('\t')[0] ?? '');
}
