import { adminCredentials, Ended, Unanswered } from './controller.mjs';

const client = '/edge/client/v1';
const management = '/edge/management/v1';
const identities = `${management}/identities`;
const enroll = (token) => `${client}/enroll?token=${token}`;

let counter = 0;
/** A value or a name that is used once. */
export function unique(prefix) {
  counter += 1;
  return `${prefix}-${counter}`;
}

/**
 * The operations of one life of the controller. Each notes in the history what it writes, and reads it at once after the
 * response. A person is an identity with what the client knows of it. Only one writer changes a person.
 */
export function createOperations({ send, history, fault, isKilled, token }) {
  /** Sends one write. `refused`: the status of a refusal that may happen; then it has written nothing. */
  const write = async (op, writes, { expected, refused, method, path, ...options }) => {
    if (isKilled()) throw new Ended('the controller was killed');
    const statuses = refused === undefined ? [expected] : [expected, refused];
    const end = history.begin(op, writes);
    const response = await send(statuses, method, path, { token, ...options }).catch((error) => {
      end(isKilled() || error instanceof Unanswered ? 'cut off' : 'failed');
      throw error;
    });
    end(response.status === expected ? 'acknowledged' : 'refused');
    return response;
  };
  const check = (key, value, since) => {
    const found = history.check(key, value, since);
    if (found) fault(found);
  };
  const liveSessions = ({ sessions }) => sessions.filter(({ key }) => history.last(key) === 'live');
  const ended = (person) => Object.fromEntries(liveSessions(person).map(({ key }) => [key, 'ended']));

  const operations = {
    /** Creates an identity; with `username` also an enrollment. */
    async create(person) {
      const { name, username } = person;
      const value = unique('value');
      const enrollment = username === undefined ? {} : { enrollment: { updb: username } };
      const writes = {
        [`${name} exists`]: true,
        ...written(name, value),
        [`${name} isAdmin`]: false,
        [`${name} disabled`]: false,
        [`${name} credential`]: username === undefined ? 'none' : 'pending',
      };
      const body = { name, type: 'User', isAdmin: false, ...fieldsOf(value), ...enrollment };
      const { data } = await write('create', writes, { expected: 201, method: 'POST', path: identities, body });
      person.id = data.id;
      const detail = await operations.read(person);
      person.token = detail.enrollment.updb?.token;
    },

    /** Reads an identity and compares it with the history. */
    async read(person) {
      const since = performance.now();
      const { data } = await send([200], 'GET', `${identities}/${person.id}`, { token });
      for (const [key, value] of observedOf(person.name, data)) check(key, value, since);
      return data;
    },

    async patchFields(person) {
      const value = unique('value');
      const path = `${identities}/${person.id}`;
      const body = fieldsOf(value);
      await write('patch', written(person.name, value), { expected: 200, method: 'PATCH', path, body });
      await operations.read(person);
    },

    /** Sets or takes the rights of an administrator. Its API session has them or not from the next request on. */
    async setAdmin(person, isAdmin) {
      const path = `${identities}/${person.id}`;
      const writes = { [`${person.name} isAdmin`]: isAdmin };
      const op = isAdmin ? 'promote' : 'demote';
      await write(op, writes, { expected: 200, method: 'PATCH', path, body: { isAdmin } });
      await operations.checkRights(person, isAdmin);
    },

    async checkRights(person, isAdmin) {
      const [session] = liveSessions(person);
      if (session) await send([isAdmin ? 200 : 401], 'GET', `${identities}?limit=1`, { token: session.token });
    },

    /** Redeems the enrollment. Returns false when another identity has its user name. */
    async redeem(person, { mayBeTaken = false } = {}) {
      const { name, token: once } = person;
      const password = unique('a password');
      const writes = { [`${name} credential`]: 'redeemed', [`${name} password`]: password };
      const refused = mayBeTaken ? { refused: 400 } : {};
      const request = { expected: 200, ...refused, method: 'POST', path: enroll(once), token: undefined };
      const { status, error } = await write('redeem', writes, { ...request, body: { password } });
      const isTaken = status === 400;
      if (isTaken && error.cause?.field !== 'username') fault(`the token of ${name} was refused: ${error.code}`);
      if (!isTaken) await operations.checkTokenUsed(person);
      return !isTaken;
    },

    async checkTokenUsed({ name, token: once }) {
      const { error } = await send([400], 'POST', enroll(once), { body: { password: 'a password of a thief' } });
      if (error.code !== 'INVALID_ENROLLMENT_TOKEN') fault(`the used token of ${name} was refused with ${error.code}`);
    },

    /** Signs in with a password. Returns false when it is refused. */
    async signIn(person, { password = history.last(`${person.name} password`), mayBeRefused = false } = {}) {
      const body = { username: person.username, password };
      const refused = mayBeRefused ? { refused: 401 } : {};
      const path = `${client}/authenticate?method=password`;
      const request = { expected: 200, ...refused, method: 'POST', path, token: undefined, body };
      const { status, data } = await write('sign in', {}, request);
      if (status === 401) return false;
      const session = { key: unique('session'), id: data.id, token: data.token };
      history.assume({ [session.key]: 'live' });
      person.sessions.push(session);
      return true;
    },

    /** Returns `live` or `ended`. */
    async stateOf(session) {
      const { status } = await send([200, 401], 'GET', `${client}/current-api-session`, { token: session.token });
      return status === 200 ? 'live' : 'ended';
    },

    async checkSessions({ sessions }) {
      const since = performance.now();
      for (const session of sessions) check(session.key, await operations.stateOf(session), since);
    },

    async delete(person) {
      const writes = { [`${person.name} exists`]: false, ...ended(person) };
      await write('delete', writes, { expected: 200, method: 'DELETE', path: `${identities}/${person.id}` });
      await send([404], 'GET', `${identities}/${person.id}`, { token });
      await operations.checkSessions(person);
      if (person.token) await operations.checkTokenUsed(person);
    },

    async disable(person) {
      const writes = { [`${person.name} disabled`]: true, ...ended(person) };
      const path = `${identities}/${person.id}/disable`;
      await write('disable', writes, { expected: 200, method: 'POST', path, body: { durationMinutes: 0 } });
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async enable(person) {
      const path = `${identities}/${person.id}/enable`;
      await write('enable', { [`${person.name} disabled`]: false }, { expected: 200, method: 'POST', path });
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async resetPassword(person) {
      const { id } = (await operations.read(person)).authenticators.updb;
      const password = unique('a new password');
      const writes = { [`${person.name} password`]: password, ...ended(person) };
      const path = `${management}/authenticators/${id}`;
      await write('reset password', writes, { expected: 200, method: 'PATCH', path, body: { password } });
      await operations.checkSessions(person);
    },

    async removeAuthenticator(person) {
      const { id } = (await operations.read(person)).authenticators.updb;
      const writes = { [`${person.name} credential`]: 'none', ...ended(person) };
      const path = `${management}/authenticators/${id}`;
      await write('delete authenticator', writes, { expected: 200, method: 'DELETE', path });
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async signOut(person) {
      const [session] = liveSessions(person);
      const request = { method: 'DELETE', path: `${client}/current-api-session`, token: session.token };
      await write('sign out', { [session.key]: 'ended' }, { expected: 200, ...request });
      await operations.checkSessions(person);
    },

    async removeSession(person) {
      const [session] = liveSessions(person);
      const path = `${management}/api-sessions/${session.id}`;
      await write('remove session', { [session.key]: 'ended' }, { expected: 200, method: 'DELETE', path });
      await operations.checkSessions(person);
    },

    /** Returns the details of all identities. */
    async list() {
      const { data } = await send([200], 'GET', `${identities}?limit=-1`, { token });
      return data;
    },
  };
  return operations;
}

/** A person that does not exist yet. */
export function newPerson(history, { life, username }) {
  const name = unique('identity');
  history.assume({ [`${name} exists`]: false });
  return { name, username, life, sessions: [] };
}

/** Signs in the administrator. Returns the API session. */
export async function signInAdmin(send) {
  const path = `${management}/authenticate?method=password`;
  const { data } = await send([200], 'POST', path, { body: adminCredentials });
  return { key: unique('session'), id: data.id, token: data.token };
}

/** One value, stored in a column and in another table. */
function fieldsOf(value) {
  return { tags: { value }, roleAttributes: [value, `${value}-twin`] };
}

function written(name, value) {
  return { [`${name} tags`]: value, [`${name} roleAttributes`]: [value, `${value}-twin`].join() };
}

/** What a detail says about each key of a person. */
export function observedOf(name, { isAdmin, disabled, tags, roleAttributes, enrollment, authenticators }) {
  const states = [enrollment.updb && 'pending', authenticators.updb && 'redeemed'].filter(Boolean);
  return [
    [`${name} exists`, true],
    [`${name} tags`, tags.value],
    [`${name} roleAttributes`, roleAttributes?.toSorted().join()],
    [`${name} isAdmin`, isAdmin],
    [`${name} disabled`, disabled],
    [`${name} credential`, states.join(' and ') || 'none'],
  ];
}
