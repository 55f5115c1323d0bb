import { flagOf } from '../../packages/server/src/config/load.ts';
import { settingsTable } from '../../packages/server/src/config/schema.ts';
import { formatDuration } from '../../packages/server/src/lib/duration.ts';
import { banner, code, table } from './markdown.mjs';

const exitCodes = [
  [0, 'done; for `run`: stopped by SIGTERM or SIGINT after the requests in flight were answered'],
  [1, 'an unexpected failure'],
  [2, 'wrong settings or wrong usage: every problem is printed with where it came from and how to mend it'],
  [3, 'a store cannot be reached, or the address cannot be listened on'],
];

export function configurationDocument() {
  const settings = Object.values(settingsTable);
  const secrets = settings.filter(({ secret }) => secret).map(({ env }) => code(`${env}_FILE`));
  const rows = settings.map((setting) => [
    code(setting.key),
    code(setting.env),
    setting.secret ? '' : code(`--${flagOf(setting)}`),
    code(defaultOf(setting)),
    setting.expected,
    setting.description,
  ]);
  return `${banner('packages/server/src/config/schema.ts')}

# Configuration

A setting comes from, strongest first: a flag, the environment, the YAML file named by \`--config\` or
\`EDGE_CONFIG\`, its default. \`edge-controller config check\` tells about every problem at once and starts nothing.

${table(['Key in the file', 'Environment', 'Flag', 'Default', 'Expected', 'Meaning'], rows)}

A secret is never a flag. It can be read from a file instead of the environment: ${secrets.join(', ')}.

\`\`\`yaml
# edge.yaml: a dot in a key is a level in the file
edge:
  api:
    sessionTimeout: 30m
\`\`\`

## The data directory

It belongs to the user that the controller runs as, and to nobody else: it holds the keys. Everything in it is needed but
\`compile-cache\`, where Node keeps compiled code for a faster start. The cache may be removed at any time, and it is left
out when others could write there. Node's own \`NODE_COMPILE_CACHE\` and \`NODE_DISABLE_COMPILE_CACHE=1\` have the last word.

## Exit codes

${table(['Code', 'Meaning'], exitCodes)}
`;
}

/** Empty when the description tells the default: it then depends on the machine or on other settings. */
function defaultOf({ default: value, description, expected }) {
  if (value === null || description.includes('Default:')) return '';
  if (Array.isArray(value)) return value.join(', ');
  return expected.startsWith('a duration') ? formatDuration(value) : String(value);
}
