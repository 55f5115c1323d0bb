import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import { usageError } from '../errors/cli-error.ts';
import { readTextFile } from '../input/read-file.ts';
import { printable, printableLines } from '../lib/printable.ts';
import type { Kind } from './kinds.ts';
import { directMembers } from './kinds.ts';

/** An entity as a network file wants it. */
export interface Wanted {
  readonly kind: Kind;
  readonly name: string;
  /** Its members as they stand in the file, with names in place of ids. */
  readonly members: Row;
}

/** So many mistakes are shown. */
const shownProblems = 20;

/** Reads a network file: resource → list of entities, in YAML or JSON. Throws with all mistakes at once. */
export async function readNetworkFile(path: string, kinds: ReadonlyMap<string, Kind>): Promise<Wanted[]> {
  const file = await parseFile(path);
  const problems: string[] = [];
  const wanted: Wanted[] = [];
  for (const [resource, entities] of Object.entries(file)) {
    const kind = kinds.get(resource);
    if (kind === undefined) problems.push(`${printable(resource)}: must be one of ${[...kinds.keys()].join(', ')}`);
    else if (!Array.isArray(entities)) problems.push(`${resource}: must be a list`);
    else wanted.push(...entitiesOf(kind, entities, problems));
  }
  if (problems.length > 0) {
    const shown = problems.slice(0, shownProblems);
    if (problems.length > shown.length) shown.push(`and ${problems.length - shown.length} more`);
    throw usageError(`${path} is wrong\n${shown.map((problem) => `  ${problem}`).join('\n')}`);
  }
  return wanted;
}

async function parseFile(path: string): Promise<Row> {
  const text = await readTextFile(path, '-f');
  const { parse } = await import('yaml');
  try {
    const file: unknown = parse(text) ?? {};
    if (isRow(file)) return file;
  } catch (cause) {
    throw usageError(`${path} is no YAML: ${printableLines((cause as Error).message.trimEnd())}`, { cause });
  }
  throw usageError(`${path} must be a map of resources: services: [{ name: web, … }]`);
}

function entitiesOf(kind: Kind, entities: readonly unknown[], problems: string[]): Wanted[] {
  const names = new Set<string>();
  return entities.flatMap((members, at) => {
    const place = `${kind.resource}[${at}]`;
    if (!isRow(members) || typeof members.name !== 'string' || members.name === '') {
      problems.push(`${place}: must have a name`);
      return [];
    }
    const { name } = members;
    if (names.has(name)) problems.push(`${place}: the name ${JSON.stringify(name)} occurs twice`);
    names.add(name);
    problems.push(...problemsOf(kind, members, `${place} ${JSON.stringify(name)}`));
    return [{ kind, name, members }];
  });
}

function problemsOf({ create }: Kind, members: Row, place: string): string[] {
  const known = directMembers(create);
  const unknown = Object.keys(members).filter((name) => !known.some((field) => field.name === name));
  const missing = known.filter(({ name, isRequired }) => isRequired && (members[name] ?? undefined) === undefined);
  const wrong = known.filter(({ name, values, isList }) => {
    const value = members[name];
    return values !== undefined && !isList && typeof value === 'string' && !values.includes(value);
  });
  return [
    ...unknown.map((name) => `${place}: there is no member ${printable(name)}`),
    ...missing.map(({ name }) => `${place}: ${name} is missing`),
    ...wrong.map(({ name, values = [] }) => `${place}: ${name} must be one of ${values.join(', ')}`),
  ];
}
