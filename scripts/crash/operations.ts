import type { Act, Audited } from './audited.ts';
import type { CrashResponse, Fault, Send, SendOptions } from './controller.ts';
import { adminCredentials, Ended, Unanswered } from './controller.ts';
import type { History, Writes } from './history.ts';
import type { ServiceSession } from './service-operations.ts';
import { createServiceOperations, dialAttribute } from './service-operations.ts';

const client = '/edge/client/v1';
const management = '/edge/management/v1';
const identities = `${management}/identities`;
const enroll = (token: string | undefined) => `${client}/enroll?token=${token}`;

let counter = 0;
/** A value or a name that is used once. */
export function unique(prefix: string) {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** An API session, and its key in the history. */
export interface CrashSession {
  readonly key: string;
  readonly id: string;
  readonly token: string;
}

/** An identity with what the client knows of it. */
export interface Person {
  readonly name: string;
  readonly username: string | undefined;
  /** The last life of the controller in which it was changed. */
  life: number;
  readonly sessions: CrashSession[];
  readonly serviceSessions: ServiceSession[];
  id?: string;
  /** The token of its enrollment. */
  token?: string | undefined;
}

/** What is read of an identity. */
export interface IdentityState {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly isDefaultAdmin: boolean;
  readonly disabled: boolean;
  readonly tags: { readonly value?: string };
  readonly roleAttributes: readonly string[] | null;
  readonly enrollment: { readonly updb?: { readonly token: string } };
  readonly authenticators: { readonly updb?: { readonly id: string } };
}

interface SignInOptions {
  readonly password?: unknown;
  readonly mayBeRefused?: boolean;
}

interface Surroundings {
  readonly send: Send;
  readonly history: History;
  readonly fault: Fault;
  readonly audited: Audited;
  readonly isKilled: () => boolean;
  /** Of the API session of an administrator. */
  readonly token: string;
  readonly network: Network;
}

/** Notes in the history what a request writes, and what became of it. */
export type Write = <Data>(op: string, writes: Writes, request: WriteRequest<Data>) => Promise<CrashResponse<Data>>;

/** The id of the service that everybody with the role attribute may dial. */
export interface Network {
  serviceId?: string;
}

export interface WriteRequest<Data> extends SendOptions {
  readonly expected: number;
  /** The status of a refusal that may happen; then it has written nothing. */
  readonly refused?: number;
  readonly method: string;
  readonly path: string;
  /** The entry that the audit log must have of the act. */
  readonly act?: (data: Data) => Act;
}

export type Operations = ReturnType<typeof createOperations>;

/**
 * The operations of one life of the controller. Each notes in the history what it writes, and reads it at once after the
 * response. Only one writer changes a person.
 */
export function createOperations({ send, history, fault, audited, isKilled, token, network }: Surroundings) {
  const write: Write = async <Data>(
    op: string,
    writes: Writes,
    { expected, refused, method, path, act, ...options }: WriteRequest<Data>,
  ) => {
    if (isKilled()) throw new Ended('the controller was killed');
    const statuses = refused === undefined ? [expected] : [expected, refused];
    const end = history.begin(op, writes);
    const response = await send<Data>(statuses, method, path, { token, ...options }).catch((error) => {
      end(isKilled() || error instanceof Unanswered ? 'cut off' : 'failed');
      throw error;
    });
    end(response.status === expected ? 'acknowledged' : 'refused');
    if (act && response.status === expected) audited.acknowledge(act(response.data));
    return response;
  };
  const check = (key: string, value: unknown, since: number) => {
    const found = history.check(key, value, since);
    if (found) fault(found);
  };
  const liveSessions = ({ sessions }: Pick<Person, 'sessions'>) =>
    sessions.filter(({ key }) => history.last(key) === 'live');
  const liveSession = (person: Person) => {
    const [session] = liveSessions(person);
    if (session === undefined) throw new Error(`${person.name} has no API session`);
    return session;
  };
  const services = createServiceOperations({ send, write, check, history, token, network });
  const ended = (person: Person) => ({
    ...Object.fromEntries(liveSessions(person).map(({ key }) => [key, 'ended'])),
    ...services.ended(person),
  });

  const operations = {
    ...services,

    /** Creates an identity; with `username` also an enrollment. */
    async create(person: Person) {
      const { name, username } = person;
      const value = unique('value');
      const enrollment = username === undefined ? {} : { enrollment: { updb: username } };
      const writes = {
        [`${name} exists`]: true,
        ...written(name, value, true),
        [`${name} isAdmin`]: false,
        [`${name} disabled`]: false,
        [`${name} credential`]: username === undefined ? 'none' : 'pending',
      };
      const body = { name, type: 'User', isAdmin: false, ...fieldsOf(value, true), ...enrollment };
      const { data } = await write<{ id: string }>('create', writes, {
        expected: 201,
        method: 'POST',
        path: identities,
        body,
        act: ({ id }) => ['entity.created', id],
      });
      person.id = data.id;
      const detail = await operations.read(person);
      person.token = detail.enrollment.updb?.token;
    },

    /** Reads an identity and compares it with the history. */
    async read(person: Person) {
      const since = performance.now();
      const { data } = await send<IdentityState>([200], 'GET', `${identities}/${person.id}`, { token });
      for (const [key, value] of observedOf(person.name, data)) check(key, value, since);
      return data;
    },

    /** Without `mayDial`, it takes the right to the service away. */
    async patchFields(person: Person, mayDial = true) {
      const value = unique('value');
      const path = `${identities}/${person.id}`;
      const body = fieldsOf(value, mayDial);
      const writes = { ...written(person.name, value, mayDial), ...(!mayDial && services.ended(person)) };
      const op = mayDial ? 'patch' : 'take right';
      await write(op, writes, { expected: 200, method: 'PATCH', path, body, act: updated(person) });
      await operations.checkServices(person);
      await operations.read(person);
    },

    /**
     * Sets or takes the rights of an administrator. Its API session has them or not from the next request on; one that asked for routers
     * never gets them, and ends.
     */
    async setAdmin(person: Person, isAdmin: boolean) {
      const path = `${identities}/${person.id}`;
      const hasAsked = person.serviceSessions.length > 0;
      const writes = { [`${person.name} isAdmin`]: isAdmin, ...(isAdmin && hasAsked && ended(person)) };
      const op = isAdmin ? 'promote' : 'demote';
      await write(op, writes, { expected: 200, method: 'PATCH', path, body: { isAdmin }, act: updated(person) });
      await operations.checkRights(person, isAdmin);
    },

    async checkRights(person: Person, isAdmin: boolean) {
      const [session] = liveSessions(person);
      if (session) await send([isAdmin ? 200 : 401], 'GET', `${identities}?limit=1`, { token: session.token });
    },

    /** Redeems the enrollment. Returns false when another identity has its user name. */
    async redeem(person: Person, { mayBeTaken = false } = {}) {
      const { name, token: once } = person;
      const password = unique('a password');
      const writes = { [`${name} credential`]: 'redeemed', [`${name} password`]: password };
      const refused = mayBeTaken ? { refused: 400 } : {};
      const request = { expected: 200, ...refused, method: 'POST', path: enroll(once), token: undefined };
      const act = (): Act => ['enrollment.redeemed', person.id];
      const { status, error } = await write('redeem', writes, { ...request, body: { password }, act });
      const isTaken = status === 400;
      if (isTaken && error?.cause?.field !== 'username') fault(`the token of ${name} was refused: ${error?.code}`);
      if (!isTaken) await operations.checkTokenUsed(person);
      return !isTaken;
    },

    async checkTokenUsed({ name, token: once }: Person) {
      const { error } = await send([400], 'POST', enroll(once), { body: { password: 'a password of a thief' } });
      if (error?.code !== 'INVALID_ENROLLMENT_TOKEN')
        fault(`the used token of ${name} was refused with ${error?.code}`);
    },

    /** Signs in with a password. Returns false when it is refused. */
    async signIn(
      person: Person,
      { password = history.last(`${person.name} password`), mayBeRefused = false }: SignInOptions = {},
    ) {
      const body = { username: person.username, password };
      const refused = mayBeRefused ? { refused: 401 } : {};
      const path = `${client}/authenticate?method=password`;
      const request = { expected: 200, ...refused, method: 'POST', path, token: undefined, body };
      const { status, data } = await write<{ id: string; token: string }>(
        'sign in',
        {},
        {
          ...request,
          act: ({ id }) => ['authentication.succeeded', id],
        },
      );
      if (status === 401) return false;
      const session = { key: unique('session'), id: data.id, token: data.token };
      history.assume({ [session.key]: 'live' });
      person.sessions.push(session);
      return true;
    },

    /** Returns `live` or `ended`. */
    async stateOf(session: CrashSession) {
      const { status } = await send([200, 401], 'GET', `${client}/current-api-session`, { token: session.token });
      return status === 200 ? 'live' : 'ended';
    },

    async checkSessions(person: Pick<Person, 'sessions' | 'serviceSessions'>) {
      const since = performance.now();
      for (const session of person.sessions) check(session.key, await operations.stateOf(session), since);
      await operations.checkServices(person);
    },

    /** Opens a session of the service for the live API session. */
    openService: (person: Person) => services.open(person, liveSession(person)),

    async delete(person: Person) {
      const writes = { [`${person.name} exists`]: false, ...ended(person) };
      const act = (): Act => ['entity.deleted', person.id];
      await write('delete', writes, { expected: 200, method: 'DELETE', path: `${identities}/${person.id}`, act });
      await send([404], 'GET', `${identities}/${person.id}`, { token });
      await operations.checkSessions(person);
      if (person.token) await operations.checkTokenUsed(person);
    },

    async disable(person: Person) {
      const writes = { [`${person.name} disabled`]: true, ...ended(person) };
      const path = `${identities}/${person.id}/disable`;
      const request = { expected: 200, method: 'POST', path, act: updated(person) };
      await write('disable', writes, { ...request, body: { durationMinutes: 0 } });
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async enable(person: Person) {
      const path = `${identities}/${person.id}/enable`;
      const request = { expected: 200, method: 'POST', path, act: updated(person) };
      await write('enable', { [`${person.name} disabled`]: false }, request);
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async resetPassword(person: Person) {
      const id = (await operations.read(person)).authenticators.updb?.id;
      const password = unique('a new password');
      const writes = { [`${person.name} password`]: password, ...ended(person) };
      const path = `${management}/authenticators/${id}`;
      const act = (): Act => ['password.changed', id];
      await write('reset password', writes, { expected: 200, method: 'PATCH', path, body: { password }, act });
      await operations.checkSessions(person);
    },

    async removeAuthenticator(person: Person) {
      const id = (await operations.read(person)).authenticators.updb?.id;
      const writes = { [`${person.name} credential`]: 'none', ...ended(person) };
      const path = `${management}/authenticators/${id}`;
      const act = (): Act => ['entity.deleted', id];
      await write('delete authenticator', writes, { expected: 200, method: 'DELETE', path, act });
      await operations.checkSessions(person);
      await operations.read(person);
    },

    async signOut(person: Person) {
      const session = liveSession(person);
      const path = `${client}/current-api-session`;
      const request = { method: 'DELETE', path, token: session.token, act: endOf(session) };
      await write(
        'sign out',
        { [session.key]: 'ended', ...services.ended(person, session) },
        { expected: 200, ...request },
      );
      await operations.checkSessions(person);
    },

    async removeSession(person: Person) {
      const session = liveSession(person);
      const path = `${management}/api-sessions/${session.id}`;
      await write(
        'remove session',
        { [session.key]: 'ended', ...services.ended(person, session) },
        { expected: 200, method: 'DELETE', path, act: endOf(session) },
      );
      await operations.checkSessions(person);
    },

    /** Returns the details of all identities. */
    async list() {
      const { data } = await send<IdentityState[]>([200], 'GET', `${identities}?limit=-1`, { token });
      return data;
    },
  };
  return operations;
}

const updated = (person: Person) => (): Act => ['entity.updated', person.id];
const endOf =
  ({ id }: CrashSession) =>
  (): Act => ['apiSession.ended', id];

/** A person that does not exist yet. */
export function newPerson(
  history: History,
  { life, username }: { life: number; username?: string | undefined },
): Person {
  const name = unique('identity');
  history.assume({ [`${name} exists`]: false });
  return { name, username, life, sessions: [], serviceSessions: [] };
}

/** Signs in the administrator. Returns the API session. */
export async function signInAdmin(send: Send): Promise<CrashSession> {
  const path = `${management}/authenticate?method=password`;
  const { data } = await send<{ id: string; token: string }>([200], 'POST', path, { body: adminCredentials });
  return { key: unique('session'), id: data.id, token: data.token };
}

/** One value, stored in a column and in another table. */
function fieldsOf(value: string, mayDial: boolean) {
  return { tags: { value }, roleAttributes: [value, `${value}-twin`, ...(mayDial ? [dialAttribute] : [])] };
}

function written(name: string, value: string, mayDial: boolean) {
  const { roleAttributes } = fieldsOf(value, mayDial);
  return { [`${name} tags`]: value, [`${name} roleAttributes`]: roleAttributes.toSorted().join() };
}

/** What a detail says about each key of a person. */
export function observedOf(name: string, state: IdentityState): [string, unknown][] {
  const { isAdmin, disabled, tags, roleAttributes, enrollment, authenticators } = state;
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
