import { Ended } from './controller.mjs';
import { observedOf } from './operations.mjs';

/** Lives after which the sessions and the token of a person are checked only at the end. */
const recentLives = 3;

/** Compares everything that a restarted controller stores with the history. */
export async function verify({ operations, history, people, admins, life, isLast, fault }) {
  const observed = new Map();
  const details = new Map();
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
    if (!detail.roleAttributes?.includes(detail.tags.value)) {
      fault(`${person.name} has the tags of one change and the role attributes of another`);
    }
  }
  for (const { name } of people) if (!details.has(name)) observed.set(`${name} exists`, false);

  const recent = [...people].filter((person) => isLast || person.life >= life - recentLives);
  const observePassword = async (person) => {
    const detail = details.get(person.name);
    if (!detail?.authenticators.updb || detail.disabled) return;
    const key = `${person.name} password`;
    const possible = history.values(key);
    // A sign-in costs much: all whose password was changed, and some others.
    if (possible.length < 2 && Math.random() > 0.2) return;
    const right = [];
    for (const password of possible) {
      if (await operations.signIn(person, { password, mayBeRefused: true })) right.push(password);
    }
    observed.set(key, right.join(' and '));
  };
  const observeSessions = async ({ sessions }) => {
    for (const session of sessions) observed.set(session.key, await operations.stateOf(session));
  };
  // The sessions first: a sign-in adds one that no operation has written.
  await each([...recent, { sessions: admins }], observeSessions);
  await each(recent, observePassword);
  for (const found of history.restart(observed)) fault(found);

  await each(recent, async (person) => {
    await checkToken({ operations, person, detail: details.get(person.name), fault });
    if (details.has(person.name)) await operations.checkRights(person, details.get(person.name).isAdmin);
  });
  for (const person of people) if (!details.has(person.name) && !recent.includes(person)) people.delete(person);
}

/** A token works once: it is refused, or it can be redeemed now. */
async function checkToken({ operations, person, detail, fault }) {
  const pending = detail?.enrollment.updb;
  if (!pending) {
    if (person.token) await operations.checkTokenUsed(person);
    return;
  }
  person.token ??= pending.token;
  if (person.token !== pending.token) fault(`${person.name} has another token`);
  await operations.redeem(person, { mayBeTaken: true });
}

async function each(items, work) {
  const results = await Promise.allSettled(items.map(work));
  const failed = results.find(({ status, reason }) => status === 'rejected' && !(reason instanceof Ended));
  if (failed) throw failed.reason;
}
