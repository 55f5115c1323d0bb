import { flagOf } from '../../packages/server/src/core/config/load.ts';
import { settingsTable } from '../../packages/server/src/core/config/schema.ts';
import type { Setting } from '../../packages/server/src/core/config/setting.ts';
import { formatDuration } from '../../packages/server/src/core/time/duration.ts';
import { banner, code, table } from './markdown.ts';

const exitCodes = [
  [0, 'success; after SIGTERM or SIGINT, `run` first completes the requests in progress, for at most 10 s'],
  [1, 'an unexpected failure'],
  [2, 'wrong settings, keys or PKI files (the message lists all), or wrong usage, such as a second `init`'],
  [3, 'the data directory, a store or the address cannot be used, or another controller has the data directory'],
  [4, 'an error that nothing handled, with one line at level `fatal` in the log; a supervisor starts it again'],
];

export function configurationDocument() {
  const settings: readonly Setting<unknown>[] = Object.values(settingsTable);
  const live = settings.filter(({ isLive }) => isLive).map(({ key }) => code(key));
  const secrets = settings.filter(({ secret }) => secret).map(({ env }) => code(`${env}_FILE`));
  const rows = settings.map((setting) => [
    code(setting.key),
    code(setting.env),
    setting.secret ? '' : code(`--${flagOf(setting)}`),
    code(defaultOf(setting)),
    setting.expected,
    setting.description,
  ]);
  return `${banner('packages/server/src/core/config/*-settings.ts')}

# Configuration

A flag overrides the environment, the environment overrides the YAML file, and the file overrides the default.
\`--config\` or \`EDGE_CONFIG\` has the path of the file. \`edge-controller config check\` reports all problems and does
not start the controller.

${table(['Key in the file', 'Environment', 'Flag', 'Default', 'Expected', 'Meaning'], rows)}

Secrets have no flags. A secret can also be in a file of its own, whose path is in one of these variables:
${secrets.join(', ')}.

\`\`\`yaml
# edge.yaml: a dot in a key is a level in the file
edge:
  api:
    sessionTimeout: 30m
\`\`\`

## Breached passwords

The file of \`edge.passwords.breachedFile\` has one password in each line: the SHA-1 of its UTF-8 bytes (NFC) in hexadecimal, upper or
lower case. What follows in a line, such as \`:42\`, does not count. The lines are sorted by their bytes (\`LC_ALL=C sort\`) and have at most
1,000 bytes.

The files of Have I Been Pwned that are ordered by hash are such files. The controller reads a few blocks of the file when a password is set,
and keeps nothing of it in memory. To replace the file, rename a new one to its path. While the file cannot be read, no password can be set.

## New settings without a restart

SIGHUP makes \`edge-controller run\` read the settings file again, and the files of secrets and certificates. These settings change at
once, and all others with the next start: ${live.join(', ')}. [Operations](operations.md#new-settings-without-a-restart) says more.

## The data directory

The data directory contains the keys. Only the user of the controller may have access to it. In \`compile-cache\`, Node
keeps compiled code for a faster start. You can remove this cache at any time, but nothing else in the directory. The
cache is not used when other users can write to the directory. It is not used either when \`NODE_COMPILE_CACHE\` or
\`NODE_DISABLE_COMPILE_CACHE=1\` is set.

## Exit codes

${table(['Code', 'Meaning'], exitCodes)}
`;
}

/** Returns the default. Empty when the description explains it: it then depends on other settings or on the machine. */
function defaultOf({ default: value, description, expected }: Setting<unknown>) {
  if (value === null || description.includes('Default:')) return '';
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'number' && expected.startsWith('a duration') ? formatDuration(value) : String(value);
}
