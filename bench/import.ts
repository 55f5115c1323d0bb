// How fast the SDK creates the policies, services and identities of a network, with 32 requests at once.
// Usage: node --conditions=source import.ts [services=10000] [identities=100000]
import { join } from 'node:path';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { freshDatabase, startTestPostgres } from '../packages/server/test/support/postgres.ts';
import { credentials } from './call.ts';
import { membership } from './membership-data.ts';
import { createProcesses } from './processes.ts';
import type { Server } from './servers.ts';
import { startController } from './servers.ts';

const [services = 10_000, identities = 100_000] = process.argv.slice(2).map(Number);
const requestsAtOnce = 32;
const part = 1_000;
const data = membership();

const say = (line: string) => process.stdout.write(`${line}\n`);

interface Part {
  /** Seconds. */
  readonly time: number;
  /** Microseconds of CPU time of the controller for each. */
  readonly cpu: number;
}

/** Creates all, some at once. Prints the rate, and what the first and the last thousand cost. */
async function create<Item>(
  name: string,
  { cpu }: Server,
  { items, one }: { readonly items: readonly Item[]; readonly one: (item: Item) => Promise<unknown> },
): Promise<void> {
  const parts: Part[] = [];
  for (let at = 0; at < items.length; at += part) {
    const waiting = items.slice(at, at + part).values();
    const [startedAt, before] = [performance.now(), await cpu()];
    const work = async () => {
      for (const item of waiting) await one(item);
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, work));
    const time = (performance.now() - startedAt) / 1_000;
    parts.push({ time, cpu: ((await cpu()) - before) / part });
  }
  const total = parts.reduce((sum, { time }) => sum + time, 0);
  const cost = ({ time, cpu }: Part) => `${(part / time).toFixed(0)}/s with ${cpu.toFixed(0)} us CPU each`;
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return;
  say(`  ${name.padEnd(18)}${(items.length / total).toFixed(0).padStart(6)}/s`);
  say(`    the first 1,000: ${cost(first)}; the last 1,000: ${cost(last)}`);
}

async function fillWithSdk(stores: string, server: Server, directory: string): Promise<void> {
  const edge = createEdgeClient(server.url, { caFile: join(directory, 'pki/ca.pem') });
  await edge.signIn.password(JSON.parse(credentials));
  const { management } = edge;
  const byAttribute = (roles: readonly string[]) => roles.filter((role) => role.startsWith('#'));
  say(`\n${stores}: ${requestsAtOnce} requests at once`);
  await create('service policies', server, {
    items: data.policies,
    one: ({ id, type, semantic, identityRoles, serviceRoles }) =>
      management.servicePolicies.create({
        ...{ name: id, type, semantic },
        ...{ identityRoles: byAttribute(identityRoles), serviceRoles: byAttribute(serviceRoles) },
      }),
  });
  await create('services', server, {
    items: data.services.slice(0, services),
    one: ({ id, held }) =>
      management.services.create({ name: id, encryptionRequired: true, roleAttributes: [...held] }),
  });
  await create('identities', server, {
    items: data.identities.slice(0, identities),
    one: ({ id, held }) =>
      management.identities.create({ name: id, type: 'Device', isAdmin: false, roleAttributes: [...held] }),
  });
  await edge.signOut();
}

await using processes = createProcesses();
const dataOf = (name: string) => join(processes.directory, name);
await fillWithSdk('SQLite', await startController(processes, { name: 'sqlite' }), dataOf('sqlite'));
const postgres = await startTestPostgres();
try {
  await using controllers = createProcesses();
  const [redis, database] = [await controllers.startRedis(), await freshDatabase(postgres.url)];
  const server = await startController(controllers, { name: 'postgres', redis, database });
  await fillWithSdk('PostgreSQL', server, join(controllers.directory, 'postgres'));
} finally {
  await postgres.stop();
}
