import type { Fault } from './controller.ts';
import { Ended } from './controller.ts';
import type { History } from './history.ts';
import type { Operations } from './operations.ts';
import type { CrashSession, IdentityState, Person } from './person.ts';
import { observedOf } from './person.ts';

/** Lives after which the sessions and the token of a person are checked only at the end. */
const recentLives = 3;

interface Verification {
  readonly operations: Operations;
  readonly history: History;
  readonly people: Set<Person>;
  /** The API sessions of the administrator. */
  readonly admins: CrashSession[];
  readonly life: number;
  readonly isLast: boolean;
  readonly fault: Fault;
}

/** Compares everything that a restarted controller stores with the history. */
export async function verify({ operations, history, people, admins, life, isLast, fault }: Verification) {
  const observed = new Map<string, unknown>();
  const details = new Map<string, IdentityState>();
  const names = new Map([...people].map((person) => [person.name, person]));
  for (const detail of await operations.list()) {
    const person = names.get(detail.name);
    if (details.has(detail.name)) fault(`${detail.name} exists twice`);
    details.set(detail.name, detail);
    if (!person) {
      if (!detail.isDefaultAdmin) fault(`nobody created ${detail.name}`);
      continue;
    }
    if (person.id !== undefined && person.id !== detail.id) fault(`${person.name} has another id`);
    person.id = detail.id;
    for (const [key, value] of observedOf(person.name, detail)) observed.set(key, value);
    if (!detail.roleAttributes?.some((attribute) => attribute === detail.tags.value)) {
      fault(`${person.name} has the tags of one change and the role attributes of another`);
    }
  }
  for (const { name } of people) if (!details.has(name)) observed.set(`${name} exists`, false);

  const recent = [...people].filter((person) => isLast || person.life >= life - recentLives);
  const observePassword = async (person: Person) => {
    const detail = details.get(person.name);
    if (!detail?.authenticators.updb || detail.disabled) return;
    const key = `${person.name} password`;
    const possible = history.values(key);
    // A sign-in costs much: all whose password was changed, and some others.
    if (possible.length < 2 && Math.random() > 0.2) return;
    const right: unknown[] = [];
    for (const password of possible) {
      if (await operations.signIn(person, { password, mayBeRefused: true })) right.push(password);
    }
    observed.set(key, right.join(' and '));
  };
  const observeSessions = async ({ sessions, serviceSessions }: Pick<Person, 'sessions' | 'serviceSessions'>) => {
    for (const session of sessions) observed.set(session.key, await operations.stateOf(session));
    for (const session of serviceSessions) observed.set(session.key, await operations.services.stateOf(session));
  };
  // The sessions first: a sign-in adds one that no operation has written.
  await each([...recent, { sessions: admins, serviceSessions: [] }], observeSessions);
  await each(recent, observePassword);
  for (const found of history.restart(observed)) fault(found);

  await each(recent, async (person) => {
    const detail = details.get(person.name);
    await checkToken({ operations, person, detail, fault });
    if (detail) await operations.checkRights(person, detail.isAdmin);
  });
  for (const person of people) if (!details.has(person.name) && !recent.includes(person)) people.delete(person);
}

interface TokenCheck extends Pick<Verification, 'operations' | 'fault'> {
  readonly person: Person;
  readonly detail: IdentityState | undefined;
}

/** A token works once: it is refused, or it can be redeemed now. */
async function checkToken({ operations, person, detail, fault }: TokenCheck) {
  const pending = detail?.enrollment.updb;
  if (!pending) {
    if (person.token) await operations.checkTokenUsed(person);
    return;
  }
  person.token ??= pending.token;
  if (person.token !== pending.token) fault(`${person.name} has another token`);
  await operations.redeem(person, { mayBeTaken: true });
}

async function each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  for (const result of await Promise.allSettled(items.map(work))) {
    if (result.status === 'rejected' && !(result.reason instanceof Ended)) throw result.reason;
  }
}
