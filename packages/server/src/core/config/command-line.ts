import { parseArgs } from 'node:util';
import { settingFlags } from './load.ts';

/** The command line is not valid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A flag without a value that belongs to a command and not to the settings. */
export type Switch = 'json' | 'replace';

const switches: readonly Switch[] = ['json', 'replace'];
/** Which commands know a switch. */
const switchesOf: Readonly<Record<string, readonly Switch[]>> = {
  restore: ['replace'],
  import: ['replace'],
  doctor: ['json'],
  'migrate status': ['json'],
};
/** Their last word is a path. */
const withPath: readonly string[] = ['backup', 'restore', 'export', 'import'];

export interface CommandLine {
  /** The words between the flags. Default: `run`. */
  readonly command: string;
  /** The path of a command that needs one. Empty for all others. */
  readonly path: string;
  readonly switches: ReadonlySet<Switch>;
  readonly wants: ReadonlySet<'help' | 'version'>;
  /** Flags as `name → value`. Unknown flags are here too: `loadSettings` reports them with all other problems. */
  readonly flags: Readonly<Record<string, string>>;
}

/** @throws UsageError when a flag has no value, for an unknown short flag, or when a command has no path */
export function readCommandLine(args: readonly string[]): CommandLine {
  const options = Object.fromEntries(settingFlags().map((name) => [name, { type: 'string' as const }]));
  const { tokens } = parseArgs({
    args: [...args],
    options: {
      ...options,
      ...Object.fromEntries(switches.map((name) => [name, { type: 'boolean' as const }])),
      ...{ help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } },
    },
    strict: false,
    tokens: true,
  });
  const words: string[] = [];
  const wants = new Set<'help' | 'version'>();
  const given = new Set<Switch>();
  const flags = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, rawName, value, inlineValue } = token;
    if (name === 'help' || name === 'version') wants.add(name);
    else if (rawName !== `--${name}`) throw new UsageError(`unknown flag ${rawName}`);
    else if (isSwitch(name)) given.add(name);
    else flags.set(name, Object.hasOwn(options, name) ? requireValue(rawName, value, inlineValue) : '');
  }
  const path = withPath.includes(words[0] ?? '') ? takePath(words, wants.size > 0) : '';
  const command = words.join(' ') || 'run';
  for (const name of given) {
    if (!switchesOf[command]?.includes(name)) throw new UsageError(`"${command}" has no flag --${name}`);
  }
  return { command, path, switches: given, wants, flags: Object.fromEntries(flags) };
}

function isSwitch(name: string): name is Switch {
  return (switches as readonly string[]).includes(name);
}

function takePath(words: string[], isHelp: boolean): string {
  if (words.length > 1) return words.splice(-1, 1)[0] ?? '';
  if (isHelp) return '';
  throw new UsageError(`"${words[0]}" needs a path`);
}

/** In `--host --port 5` the value of `--host` is missing, so a value must not begin with `-`. */
function requireValue(flag: string, value: string | undefined, isInline: boolean | undefined): string {
  if (value !== undefined && (isInline || !value.startsWith('-'))) return value;
  throw new UsageError(`${flag} needs a value. Write a value that begins with "-" as ${flag}=-…`);
}
