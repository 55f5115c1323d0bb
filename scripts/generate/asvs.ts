import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { banner, table } from './markdown.ts';

const source = 'docs/asvs.yaml';
const verdicts = ['met', 'partly', 'not met', 'does not apply'] as const;

interface Requirement {
  /** `V6.2.1` */
  readonly id: string;
  readonly level: 1 | 2 | 3;
  readonly verdict: (typeof verdicts)[number];
  /** What the product does, in one sentence or two. */
  readonly what: string;
  /** Each is the path of a test file and the name of a test in it. */
  readonly tests?: readonly Readonly<Record<string, string>>[];
  /** Parts of documents, from `docs`: they decide what no test shows. */
  readonly documents?: readonly string[];
}

/** How many requirements of each level the document covers. */
const inScope = new Map<number, number>([
  [1, 70],
  [2, 183],
  [3, 13],
]);

const chapters = [
  ...['Encoding and sanitisation', 'Validation and business logic', 'Pages in a browser', 'API and HTTP', 'Files'],
  ...['Signing in', 'Sessions', 'Authorisation', 'Self-contained tokens', 'OAuth and OpenID Connect', 'Cryptography'],
  ...['TLS', 'Configuration', 'Data', 'Architecture and dependencies', 'Logs and errors', 'WebRTC'],
];

export function asvsDocument() {
  const requirements: readonly Requirement[] = parse(readFileSync(new URL(`../../${source}`, import.meta.url), 'utf8'));
  for (const [at, requirement] of requirements.entries()) checkRequirement(requirement, requirements[at - 1]);
  for (const [level, count] of inScope) {
    const found = requirements.filter((one) => one.level === level).length;
    if (found !== count) throw new Error(`${source} has ${found} requirements of level ${level}, not ${count}`);
  }
  const sections = chapters.map((title, at) => {
    const rows = requirements.filter(({ id }) => chapterOf(id) === at + 1).map(rowOf);
    return `## V${at + 1} ${title}\n\n${table(['Requirement', 'Level', 'Verdict', 'What we do', 'Shown or decided in'], rows)}`;
  });
  return `${banner(source)}

# ASVS

How far the product is what the [Application Security Verification Standard](https://owasp.org/www-project-application-security-verification-standard/)
of OWASP asks, version 5.0.0: all requirements of the levels 1 and 2, and of level 3 those of the chapters V6, V7 and V9. It covers the controller with
its console, the SDK and the command line. The texts of the requirements are in the standard; here is what we do.

${table(['Verdict', 'Level 1', 'Level 2', 'Level 3', 'All'], totalsOf(requirements))}

*Partly* and *not met* have a reason: what the wire of the network forbids, or a decision that stands in the document beside it. Each test that
is named must exist and run; otherwise \`packages/server/test/documents/documents.test.ts\` fails.

${sections.join('\n\n')}
`;
}

function rowOf({ id, level, verdict, what, tests = [], documents = [] }: Requirement) {
  const shown = tests.flatMap((test) =>
    Object.entries(test).map(([path, name]) => `${linkTo(`../${path}`)} <!-- shown by: ${path}: ${name} -->`),
  );
  return [
    id,
    level,
    verdict === 'partly' || verdict === 'not met' ? `**${verdict}**` : verdict,
    what,
    [...shown, ...documents.map(linkTo)].join(', '),
  ];
}

const linkTo = (target: string) => `[${target.replace(/^.*\//, '').replace('.md', '')}](${target})`;

function totalsOf(requirements: readonly Requirement[]) {
  return verdicts.map((verdict) => {
    const found = requirements.filter((requirement) => requirement.verdict === verdict);
    return [
      verdict,
      ...[...inScope.keys()].map((level) => found.filter((one) => one.level === level).length),
      found.length,
    ];
  });
}

function checkRequirement({ id, verdict, what, tests = [], documents = [] }: Requirement, before?: Requirement) {
  const fault = (text: string) => new Error(`${id} in ${source} ${text}`);
  if (before && partsOf(before.id) >= partsOf(id)) throw fault(`stands behind ${before.id}`);
  if (!verdicts.includes(verdict)) throw fault(`has the verdict ${verdict}`);
  if (!what.endsWith('.')) throw fault('needs a sentence');
  if (verdict === 'met' && tests.length + documents.length === 0) throw fault('needs a test or a document');
  if (['partly', 'not met'].includes(verdict) && documents.length === 0)
    throw fault('needs a document with the reason');
}

const chapterOf = (id: string) => Number(/^V(\d+)/.exec(id)?.[1]);

/** In the order of the standard. */
const partsOf = (id: string) =>
  id
    .slice(1)
    .split('.')
    .map((part) => part.padStart(2, '0'))
    .join('.');
