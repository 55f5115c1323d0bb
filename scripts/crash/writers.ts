import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './controller.ts';
import { Ended, Unanswered } from './controller.ts';
import type { History } from './history.ts';
import type { Operations } from './operations.ts';
import type { Person } from './person.ts';
import { newPerson, unique } from './person.ts';

/** How many operations of each kind must be acknowledged before a kill. */
const minimum = {
  create: 10,
  patch: 10,
  delete: 3,
  redeem: 5,
  'sign in': 5,
  'open service': 5,
  'take right': 1,
  promote: 3,
  demote: 3,
  disable: 1,
  enable: 1,
  'reset password': 1,
  'delete authenticator': 1,
  'sign out': 1,
  'remove session': 1,
};

type Change = (operations: Operations, person: Person) => Promise<unknown>;

/** What may happen to a person that has signed in. Each writer takes the next one, so that all happen in each life. */
const fates: readonly Change[] = [
  (operations, person) => operations.delete(person),
  async (operations, person) => {
    await operations.disable(person);
    await operations.enable(person);
    await operations.signIn(person);
  },
  async (operations, person) => {
    await operations.resetPassword(person);
    await operations.signIn(person);
  },
  (operations, person) => operations.removeAuthenticator(person),
  (operations, person) => operations.signOut(person),
  (operations, person) => operations.removeSession(person),
  (operations, person) => operations.patchFields(person),
  async (operations, person) => {
    await operations.patchFields(person, false);
    await operations.patchFields(person);
    await operations.openService(person);
  },
];

/** What may happen at once just before a kill. Each of them concerns SQL and API sessions. */
const lastMinute: readonly Change[] = [
  (operations, person) => operations.delete(person),
  (operations, person) => operations.resetPassword(person),
  (operations, person) => operations.disable(person),
  (operations, person) => operations.removeAuthenticator(person),
  (operations, person) => operations.signOut(person),
  (operations, person) => operations.setAdmin(person, true),
  (operations, person) => operations.patchFields(person, false),
];

/** In turn, the kind of operation after which the controller is killed. */
const killAfter = [
  ...['redeem', 'delete', 'reset password', 'disable', 'delete authenticator', 'sign out', 'promote', 'demote'],
  ...['create', 'patch', 'enable', 'remove session', 'sign in', 'open service', 'take right'],
];

const personWriters = fates.length;
/** Milliseconds in which the minimum must be reached. */
const deadline = 120_000;
/** How many people of earlier lives change at once just before a kill. */
const maxIdle = 18;
let taken = 0;

interface Writing {
  readonly operations: Operations;
  readonly history: History;
  /** An identity that two clients change. */
  readonly shared: Person;
  readonly idle: readonly Person[];
  readonly life: number;
  readonly addPerson: (person: Person) => Person;
  readonly faults: readonly string[];
  readonly fault: Fault;
  readonly kill: () => Promise<void>;
}

/** Adds a person; with `username` one that can enroll. */
type Add = (username?: string) => Person;

/**
 * Writes with many clients at once until the minimum is reached. Then `idle` people change all at once, and `kill`
 * ends the controller after the next response to an operation of one kind. Resolves when all clients have stopped.
 */
export async function writeUntilKilled(writing: Writing) {
  const { operations, history, shared, idle, life, addPerson, faults, fault, kill } = writing;
  const add: Add = (username) => addPerson(newPerson(history, { life, username }));
  const start = (work: () => Promise<unknown>) =>
    work().catch((error) => {
      if (!(error instanceof Ended)) fault(error.stack);
    });
  const repeat = (work: () => Promise<unknown>) =>
    start(async () => {
      while (faults.length === 0) {
        await work().catch((error) => {
          if (!(error instanceof Unanswered)) throw error;
        });
      }
    });
  const clients = [
    ...Array.from({ length: personWriters }, () => repeat(() => livePerson(operations, add))),
    repeat(() => contest(operations, add)),
    repeat(() => comeAndGo(operations, add)),
    // Two clients change the same identity.
    repeat(() => operations.patchFields(shared)),
    repeat(() => operations.patchFields(shared)),
  ];
  const giveUpAt = performance.now() + deadline;
  const missing = () => history.missing(minimum);
  while (missing().length > 0 && faults.length === 0 && performance.now() < giveUpAt) await sleep(10);
  if (faults.length === 0 && missing().length > 0) {
    fault(`too few operations were acknowledged within ${deadline / 1_000} s: ${missing().join(', ')}`);
  }
  await start(async () => {
    const late = await Promise.all([1, 2, 3].map(() => addPending(operations, add)));
    for (const [at, person] of idle.entries()) {
      const work = turn(lastMinute, at);
      clients.push(start(() => work(operations, person)));
    }
    clients.push(...late.map((person) => start(() => operations.redeem(person))));
    // At once after a response: others are between their commit and their response then.
    await Promise.race([history.acknowledged(turn(killAfter, life)), Promise.all(clients)]);
  });
  await kill();
  await Promise.all(clients);
}

/** People of earlier lives that nobody changes now, the last ones first. They are enrolled and signed in. */
export function idlePeople({ people, history, life }: { people: Iterable<Person>; history: History; life: number }) {
  const is = (person: Person, key: string, value: unknown) => history.last(`${person.name} ${key}`) === value;
  const isIdle = (person: Person) =>
    person.life < life &&
    is(person, 'exists', true) &&
    is(person, 'credential', 'redeemed') &&
    is(person, 'disabled', false) &&
    person.sessions.some(({ key }) => history.last(key) === 'live');
  return [...people].filter(isIdle).slice(-maxIdle).reverse();
}

/** Each of a list in turn. */
function turn<Item>(items: readonly Item[], at: number): Item {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('the list is empty');
  return item;
}

/** An identity from its enrollment to one of the fates. */
async function livePerson(operations: Operations, add: Add) {
  const fate = turn(fates, taken);
  taken += 1;
  const person = await addPending(operations, add);
  await operations.redeem(person);
  await operations.signIn(person);
  await operations.checkRights(person, false);
  await operations.setAdmin(person, true);
  await operations.setAdmin(person, false);
  await operations.openService(person);
  await fate(operations, person);
}

async function addPending(operations: Operations, add: Add) {
  const person = add(unique('user'));
  await operations.create(person);
  return person;
}

/** Two identities want the same user name. The one that is refused can use its token when the other one is gone. */
async function contest(operations: Operations, add: Add) {
  const username = unique('user');
  const both = [add(username), add(username)] as const;
  await Promise.all(both.map((person) => operations.create(person)));
  const results = await Promise.all(both.map((person) => operations.redeem(person, { mayBeTaken: true })));
  await Promise.all(both.map((person) => operations.read(person)));
  const winner = both[results.indexOf(true)];
  const loser = both[results.indexOf(false)];
  if (!winner || !loser) throw new Error(`of two redemptions for one user name, the results were ${results}`);
  await operations.delete(winner);
  await operations.redeem(loser);
}

/** Short lives, so that many creations and deletions are cut off. */
async function comeAndGo(operations: Operations, add: Add) {
  const person = add();
  await operations.create(person);
  await operations.patchFields(person);
  await operations.delete(person);
}
