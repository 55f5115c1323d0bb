import { parseArgs } from 'node:util';
import { settingFlags } from './load.ts';

/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface CommandLine {
  /** The words between the flags, `run` when there are none. */
  readonly command: string;
  readonly wants: ReadonlySet<'help' | 'version'>;
  /** Flags as `name → value`, unknown ones too: `loadSettings` tells about them together with all other problems. */
  readonly flags: Readonly<Record<string, string>>;
}

/** @throws UsageError when a flag has no value */
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
    else flags.set(name, Object.hasOwn(options, name) ? givenValue(rawName, value, inlineValue) : '');
  }
  return { command: words.join(' ') || 'run', wants, flags: Object.fromEntries(flags) };
}

/** In `--host --port 5` the value of `--host` was forgotten. */
function givenValue(flag: string, value: string | undefined, isInline: boolean | undefined): string {
  if (value !== undefined && (isInline || !value.startsWith('-'))) return value;
  throw new UsageError(`${flag} needs a value; one that begins with "-" is given as ${flag}=-…`);
}
