import type { Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { callOf } from '../api/call-operation.ts';
import { CliError } from '../errors/cli-error.ts';
import { explainError } from '../errors/explain-error.ts';
import { startProgress } from '../output/progress.ts';
import type { EntityIndex } from './entity-index.ts';
import { withIds } from './named-references.ts';
import type { Change, Plan } from './plan.ts';

/** So many requests are on their way at once: the controller writes changes to its disk in groups. */
const concurrency = 8;

/** Does what a plan says, kind by kind. It stops at the first failure; what was done stays, and a second run goes on there. */
export async function runPlan(edge: NodeEdgeClient, { changes, index }: Plan): Promise<void> {
  const progress = startProgress('apply', changes.length);
  let done = 0;
  try {
    for (const group of groupsOf(changes)) {
      await forEach(group, async (change) => {
        await run(edge, change, index);
        done += 1;
        progress.tick();
      });
    }
  } catch (error) {
    progress.stop();
    const { exitCode } = explainError(error, 'edge login');
    throw new CliError(
      `${messageOf(error)}\n${done} of ${changes.length} changes are done; run it again to go on`,
      exitCode,
    );
  } finally {
    progress.stop();
  }
}

class ChangeError extends Error {
  override readonly name = 'ChangeError';
}

function messageOf(error: unknown): string {
  if (!(error instanceof ChangeError)) return explainError(error, 'edge login').message;
  return `${error.message}: ${explainError(error.cause, 'edge login').message}`;
}

/** Changes of one kind and one verb do not refer to each other. */
function groupsOf(changes: readonly Change[]): Change[][] {
  const groups: Change[][] = [];
  for (const change of changes) {
    const group = groups.at(-1);
    const [first] = group ?? [];
    if (group && first?.kind === change.kind && (first.verb === 'delete') === (change.verb === 'delete'))
      group.push(change);
    else groups.push([change]);
  }
  return groups;
}

async function forEach(changes: readonly Change[], run: (change: Change) => Promise<void>): Promise<void> {
  const queue = changes.values();
  let hasFailed = false;
  const work = async () => {
    for (const change of queue) {
      if (hasFailed) return;
      try {
        await run(change);
      } catch (cause) {
        hasFailed = true;
        throw new ChangeError(`${change.kind.resource} ${JSON.stringify(change.name)}`, { cause });
      }
    }
  };
  const results = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const failure = results.find((result) => result.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

async function run(edge: NodeEdgeClient, { verb, kind, name, id, members, differences }: Change, index: EntityIndex) {
  const call = (operation: string) => callOf(edge, 'management', kind.resource, operation);
  if (verb === 'delete') return void (await call('delete')(id));
  const body = withIds(members, kind.create, index);
  if (verb === 'create') {
    const created = await call('create')(body);
    if (isRow(created)) index.add(kind.resource, { id: created.id, name });
    return;
  }
  // A PATCH must send some members even when they stay.
  const sent = [...kind.patch.filter(({ isRequired }) => isRequired), ...differences.map(({ field }) => field)];
  await call('patch')(id, Object.fromEntries(sent.map((field) => [field.name, body[field.name]])) satisfies Row);
}
