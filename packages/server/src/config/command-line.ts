import { parseArgs } from 'node:util';
import { settingFlags } from './load.ts';

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface CommandLine {
  /** The words between the flags. Default: `run`. */
  readonly command: string;
  readonly wants: ReadonlySet<'help' | 'version'>;
  /** Flags as `name → value`. Unknown flags are here too: `loadSettings` reports them with all other problems. */
  readonly flags: Readonly<Record<string, string>>;
}

/** @throws UsageError when a flag has no value, or for an unknown short flag */
export function readCommandLine(args: readonly string[]): CommandLine {
  const options = Object.fromEntries(settingFlags().map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const wants = new Set<'help' | 'version'>();
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (name === 'help' || name === 'version') wants.add(name);
    else if (rawName !== `--${name}`) throw new UsageError(`unknown flag ${rawName}`);
    else flags.set(name, Object.hasOwn(options, name) ? requireValue(rawName, value, inlineValue) : '');
  }
  return { command: words.join(' ') || 'run', wants, flags: Object.fromEntries(flags) };
}

/** In `--host --port 5` the value of `--host` is missing, so a value must not begin with `-`. */
function requireValue(flag: string, value: string | undefined, isInline: boolean | undefined): string {
  if (value !== undefined && (isInline || !value.startsWith('-'))) return value;
  throw new UsageError(`${flag} needs a value. Write a value that begins with "-" as ${flag}=-…`);
}
