import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { filter } from '@edge-controller/sdk/node';
import { usageError } from '../errors/cli-error.ts';
import type { Difference } from './compare.ts';
import { differences } from './compare.ts';
import { EntityIndex } from './entity-index.ts';
import type { Kind } from './kinds.ts';
import { directMembers } from './kinds.ts';
import { referredNames, withIds, withNames } from './named-references.ts';
import type { Wanted } from './network-file.ts';

/** What has to be done to one entity. */
export interface Change {
  readonly verb: 'create' | 'update' | 'delete';
  readonly kind: Kind;
  readonly name: string;
  /** Absent: it does not exist yet. */
  readonly id?: string;
  /** Members with names in place of ids. */
  readonly members: Row;
  readonly differences: readonly Difference[];
}

/** All that makes the network as the file wants it. */
export interface Plan {
  /** In the order in which they are done. */
  readonly changes: readonly Change[];
  readonly unchanged: number;
  readonly index: EntityIndex;
}

/** The mark of the entities that belong to a file. */
export interface Tag {
  readonly key: string;
  readonly value: string;
}

interface PlanOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly tag: Tag | null;
  /** Deletes what has the tag and is not in the file. */
  readonly prunes: boolean;
}

/** Compares a network file with the controller. It changes nothing. */
export async function makePlan(edge: NodeEdgeClient, wanted: readonly Wanted[], options: PlanOptions): Promise<Plan> {
  const index = new EntityIndex(edge);
  await readExisting(index, wanted, options);
  const changes = [...options.kinds.values()].flatMap((kind) =>
    wanted.filter((one) => one.kind === kind).flatMap((one) => changeOf(one, index, options.tag) ?? []),
  );
  const deletions = options.prunes ? await deletionsOf(index, wanted, options) : [];
  checkImmutable(changes);
  return { changes: [...changes, ...deletions], unchanged: wanted.length - changes.length, index };
}

/** Reads what the file has or refers to: not the whole network, which may be large. */
async function readExisting(index: EntityIndex, wanted: readonly Wanted[], { kinds }: PlanOptions): Promise<void> {
  const names = new Map<string, Set<string>>();
  const add = (resource: string, name: string) => names.set(resource, (names.get(resource) ?? new Set()).add(name));
  for (const { kind, name, members } of wanted) {
    add(kind.resource, name);
    for (const reference of referredNames(members, kind.create)) add(reference.to, reference.name);
  }
  for (const [resource, all] of names) await index.read(resource, all);
  checkReferences(index, wanted, kinds);
}

/** Every name that is referred to must exist, or stand in the file. */
function checkReferences(index: EntityIndex, wanted: readonly Wanted[], kinds: ReadonlyMap<string, Kind>): void {
  const inFile = new Set(wanted.map(({ kind, name }) => `${kind.resource} ${name}`));
  const problems = wanted.flatMap(({ kind, name, members }) =>
    [...referredNames(members, kind.create)].flatMap((one) => {
      const exists = index.named(one.to, one.name) ?? index.withId(one.to, one.name);
      if (exists !== undefined || (kinds.has(one.to) && inFile.has(`${one.to} ${one.name}`))) return [];
      return [`  ${kind.resource} ${JSON.stringify(name)}: ${one.to} has no ${JSON.stringify(one.name)}`];
    }),
  );
  if (problems.length > 0)
    throw usageError(`the file refers to what does not exist\n${problems.slice(0, 20).join('\n')}`);
}

function changeOf({ kind, name, members }: Wanted, index: EntityIndex, tag: Tag | null): Change | null {
  const actual = index.named(kind.resource, name);
  const tagged = withTag(members, actual, tag);
  if (actual === undefined) return { verb: 'create', kind, name, members: tagged, differences: [] };
  const found = differences(withIds(tagged, kind.create, index), actual, directMembers(kind.create));
  if (found.length === 0) return null;
  const shown = (value: unknown, field: string) => withNames({ [field]: value }, kind.create, index)[field];
  const differing = found.map(({ field, from }) => ({ field, from: shown(from, field.name), to: tagged[field.name] }));
  return { verb: 'update', kind, name, id: String(actual.id), members: tagged, differences: differing };
}

function withTag(members: Row, actual: Row | undefined, tag: Tag | null): Row {
  if (tag === null) return members;
  const tags = isRow(members.tags) ? members.tags : isRow(actual?.tags) ? actual.tags : {};
  return { ...members, tags: { ...tags, [tag.key]: tag.value } };
}

async function deletionsOf(
  index: EntityIndex,
  wanted: readonly Wanted[],
  { kinds, tag }: PlanOptions,
): Promise<Change[]> {
  if (tag === null) return [];
  const inFile = new Set(wanted.map(({ kind, name }) => `${kind.resource} ${name}`));
  const deletions: Change[] = [];
  // What refers to others goes first.
  for (const kind of [...kinds.values()].toReversed()) {
    const tagged = await index.readAll(kind.resource, `tags.${tag.key} = ${filter`${tag.value}`}`);
    const gone = tagged.filter(({ name }) => !inFile.has(`${kind.resource} ${name}`));
    deletions.push(
      ...gone.map(({ id, name }): Change => {
        const members = {};
        return { verb: 'delete', kind, name: String(name), id: String(id), members, differences: [] };
      }),
    );
  }
  return deletions;
}

/** A member that never changes must be as it is. */
function checkImmutable(changes: readonly Change[]): void {
  const problems = changes.flatMap(({ kind, name, differences: found }) =>
    found.flatMap(({ field }) =>
      kind.patch.some((one) => one.name === field.name)
        ? []
        : [`  ${kind.resource} ${JSON.stringify(name)}: ${field.name} never changes; delete the entity first`],
    ),
  );
  if (problems.length > 0) throw usageError(`the file changes what cannot be changed\n${problems.join('\n')}`);
}
