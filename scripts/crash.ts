// Kills a controller during writes, again and again. After each restart everything that was acknowledged must be there,
// and what was cut off must be there as a whole or not at all. Each acknowledged act must have its entry in the audit log.
// Nothing may refer to an API session that is not there. Any unexpected response is a fault, too. Stops at the first cycle
// with faults. Only the process is killed, not the machine.
// With EDGE_DATABASE_URL and EDGE_REDIS_URL it uses these databases instead of SQLite. Both must be empty at the start.
// Usage: npm run crash -- [cycles=50]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAudited } from './crash/audited.ts';
import { CrashController, Ended } from './crash/controller.ts';
import { History } from './crash/history.ts';
import { Operations, signInAdmin } from './crash/operations.ts';
import type { CrashSession, Person } from './crash/person.ts';
import { newPerson } from './crash/person.ts';
import { checkReferences } from './crash/references.ts';
import type { Network } from './crash/service-operations.ts';
import { verify } from './crash/verify.ts';
import { idlePeople, writeUntilKilled } from './crash/writers.ts';

const cycles = Number(process.argv[2] ?? 50);
/** In every fourth cycle the controller is also killed while it starts. */
const startKillInterval = 4;
/** Characters of the controller's log that are shown with faults. */
const maxLog = 10_000;
const dataDir = mkdtempSync(join(tmpdir(), 'edge-crash-'));
const history = new History();
const audited = createAudited();
const people = new Set<Person>();
const shared = newPerson(history, { life: 0 });
const admins: CrashSession[] = [];
const network: Network = {};
const faults: string[] = [];
const fault = (text: string) => void faults.push(text);
const startTimes: number[] = [];
let killsDuringStart = 0;
let unavailable = 0;
const onUnavailable = () => {
  unavailable += 1;
};
let log = '';
const onLog = (chunk: Buffer) => {
  log = `${log}${chunk}`.slice(-maxLog);
};

/** Starts the controller and verifies what it stores. Then `work` runs. */
async function live(life: number, work: (operations: Operations, controller: CrashController) => Promise<void>) {
  const startedAt = performance.now();
  const controller = new CrashController({ dataDir, fault, onUnavailable, onLog });
  try {
    const send = await controller.connect();
    startTimes.push(performance.now() - startedAt);
    const admin = await signInAdmin(send);
    const operations = new Operations({
      send,
      history,
      fault,
      audited,
      isKilled: () => controller.isKilled(),
      token: admin.token,
      network,
    });
    await verify({ operations, history, people, admins, life, isLast: life === cycles, fault });
    await checkReferences({ dataDir, fault });
    await audited.verify(send, admin.token, fault);
    history.assume({ [admin.key]: 'live' });
    admins.push(admin);
    if (faults.length === 0) await work(operations, controller);
  } catch (error) {
    if (!(error instanceof Ended)) throw error;
  } finally {
    await controller.kill();
  }
}

async function killDuringStart() {
  const usual = startTimes.at(-1) ?? 1_000;
  const controller = new CrashController({ dataDir, fault, onUnavailable, onLog });
  await new Promise((resolve) => setTimeout(resolve, Math.random() * usual));
  await controller.kill();
  killsDuringStart += 1;
}

async function cycle(life: number) {
  if (life % startKillInterval === 0) await killDuringStart();
  await live(life, async (operations, controller) => {
    if (life === 0) {
      await operations.services.create();
      await operations.create(shared);
    }
    people.add(shared);
    const addPerson = (person: Person) => {
      people.add(person);
      return person;
    };
    const idle = idlePeople({ people, history, life });
    for (const person of idle) person.life = life;
    await writeUntilKilled({
      operations,
      history,
      shared,
      idle,
      life,
      addPerson,
      faults,
      fault,
      kill: () => controller.kill(),
    });
  });
}

try {
  for (let life = 0; life < cycles && faults.length === 0; life += 1) await cycle(life);
  if (faults.length === 0) await live(cycles, async () => undefined);
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
const counts = Object.entries(history.counts());
const total = (what: 'acknowledged' | 'cut off') => counts.reduce((sum, [, row]) => sum + (row[what] ?? 0), 0);
const lines = [
  ...counts.map(([op, row]) => {
    const { acknowledged = 0, applied = 0, 'cut off': cutOff = 0 } = row;
    return `  ${op}: ${acknowledged} acknowledged, ${cutOff} cut off, ${applied} of them applied`;
  }),
  `${startTimes.length - 1} kills, ${killsDuringStart} more during a start, ${total('acknowledged')} acknowledged writes, ${total('cut off')} cut off, ${unavailable} times 503, ${faults.length} faults`,
  ...faults.slice(0, 20).map((text) => `  fault: ${text}`),
  ...(faults.length > 0 ? [log] : []),
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;
