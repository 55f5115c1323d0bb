import type { Act } from './audited.ts';
import type { Send } from './controller.ts';
import { adminCredentials } from './controller.ts';
import type { CrashSession, IdentityState, Person } from './person.ts';
import { fieldsOf, observedOf, unique, writesOf } from './person.ts';
import type { RecorderOptions } from './recorder.ts';
import { Recorder } from './recorder.ts';
import type { Network } from './service-operations.ts';
import { ServiceOperations } from './service-operations.ts';

const client = '/edge/client/v1';
const management = '/edge/management/v1';
const identities = `${management}/identities`;
const enroll = (token: string | undefined) => `${client}/enroll?token=${token}`;

interface SignInOptions {
  readonly password?: unknown;
  readonly mayBeRefused?: boolean;
}

/**
 * The operations of one life of the controller. Each notes in the history what it writes, and reads it at once after the
 * response. Only one writer changes a person.
 */
export class Operations {
  readonly #recorder: Recorder;
  readonly services: ServiceOperations;

  constructor({ network, ...options }: RecorderOptions & { readonly network: Network }) {
    this.#recorder = new Recorder(options);
    this.services = new ServiceOperations(this.#recorder, network);
  }

  /** Creates an identity; with `username` also an enrollment. */
  async create(person: Person) {
    const { name, username } = person;
    const value = unique('value');
    const enrollment = username === undefined ? {} : { enrollment: { updb: username } };
    const writes = {
      [`${name} exists`]: true,
      ...writesOf(name, value, true),
      [`${name} isAdmin`]: false,
      [`${name} disabled`]: false,
      [`${name} credential`]: username === undefined ? 'none' : 'pending',
    };
    const body = { name, type: 'User', isAdmin: false, ...fieldsOf(value, true), ...enrollment };
    const { data } = await this.#recorder.write<{ id: string }>('create', writes, {
      expected: 201,
      method: 'POST',
      path: identities,
      body,
      act: ({ id }) => ['entity.created', id],
    });
    person.id = data.id;
    const detail = await this.read(person);
    person.token = detail.enrollment.updb?.token;
  }

  /** Reads an identity and compares it with the history. */
  async read(person: Person) {
    const { send, token } = this.#recorder;
    const since = performance.now();
    const { data } = await send<IdentityState>([200], 'GET', `${identities}/${person.id}`, { token });
    for (const [key, value] of observedOf(person.name, data)) this.#recorder.check(key, value, since);
    return data;
  }

  /** Without `mayDial`, it takes the right to the service away. */
  async patchFields(person: Person, mayDial = true) {
    const value = unique('value');
    const path = `${identities}/${person.id}`;
    const body = fieldsOf(value, mayDial);
    const writes = { ...writesOf(person.name, value, mayDial), ...(!mayDial && this.services.ended(person)) };
    const op = mayDial ? 'patch' : 'take right';
    await this.#recorder.write(op, writes, { expected: 200, method: 'PATCH', path, body, act: updated(person) });
    await this.services.check(person);
    await this.read(person);
  }

  /**
   * Sets or takes the rights of an administrator. Its API session has them or not from the next request on; one that asked for routers
   * never gets them, and ends.
   */
  async setAdmin(person: Person, isAdmin: boolean) {
    const path = `${identities}/${person.id}`;
    const hasAsked = person.serviceSessions.length > 0;
    const writes = { [`${person.name} isAdmin`]: isAdmin, ...(isAdmin && hasAsked && this.#ended(person)) };
    const op = isAdmin ? 'promote' : 'demote';
    const request = { expected: 200, method: 'PATCH', path, body: { isAdmin }, act: updated(person) };
    await this.#recorder.write(op, writes, request);
    await this.checkRights(person, isAdmin);
  }

  async checkRights(person: Person, isAdmin: boolean) {
    const [session] = this.#liveSessions(person);
    const status = isAdmin ? 200 : 401;
    if (session) await this.#recorder.send([status], 'GET', `${identities}?limit=1`, { token: session.token });
  }

  /** Redeems the enrollment. Returns false when another identity has its user name. */
  async redeem(person: Person, { mayBeTaken = false } = {}) {
    const { name, token: once } = person;
    const password = unique('a password');
    const writes = { [`${name} credential`]: 'redeemed', [`${name} password`]: password };
    const refused = mayBeTaken ? { refused: 400 } : {};
    const request = { expected: 200, ...refused, method: 'POST', path: enroll(once), token: undefined };
    const act = (): Act => ['enrollment.redeemed', person.id];
    const { status, error } = await this.#recorder.write('redeem', writes, { ...request, body: { password }, act });
    const isTaken = status === 400;
    if (isTaken && error?.cause?.field !== 'username') {
      this.#recorder.fault(`the token of ${name} was refused: ${error?.code}`);
    }
    if (!isTaken) await this.checkTokenUsed(person);
    return !isTaken;
  }

  async checkTokenUsed({ name, token: once }: Person) {
    const { send, fault } = this.#recorder;
    const { error } = await send([400], 'POST', enroll(once), { body: { password: 'a password of a thief' } });
    if (error?.code !== 'INVALID_ENROLLMENT_TOKEN') fault(`the used token of ${name} was refused with ${error?.code}`);
  }

  /** Signs in with a password. Returns false when it is refused. */
  async signIn(person: Person, { password, mayBeRefused = false }: SignInOptions = {}) {
    const { history } = this.#recorder;
    const body = { username: person.username, password: password ?? history.last(`${person.name} password`) };
    const refused = mayBeRefused ? { refused: 401 } : {};
    const path = `${client}/authenticate?method=password`;
    const request = { expected: 200, ...refused, method: 'POST', path, token: undefined, body };
    const act = ({ id }: { id: string }): Act => ['authentication.succeeded', id];
    const written = await this.#recorder.write<{ id: string; token: string }>('sign in', {}, { ...request, act });
    if (written.status === 401) return false;
    const session = { key: unique('session'), id: written.data.id, token: written.data.token };
    history.assume({ [session.key]: 'live' });
    person.sessions.push(session);
    return true;
  }

  /** Returns `live` or `ended`. */
  async stateOf({ token }: CrashSession) {
    const { status } = await this.#recorder.send([200, 401], 'GET', `${client}/current-api-session`, { token });
    return status === 200 ? 'live' : 'ended';
  }

  async checkSessions(person: Pick<Person, 'sessions' | 'serviceSessions'>) {
    const since = performance.now();
    for (const session of person.sessions) {
      this.#recorder.check(session.key, await this.stateOf(session), since);
    }
    await this.services.check(person);
  }

  /** Opens a session of the service for the live API session. */
  openService(person: Person) {
    return this.services.open(person, this.#liveSession(person));
  }

  async delete(person: Person) {
    const { send, token } = this.#recorder;
    const writes = { [`${person.name} exists`]: false, ...this.#ended(person) };
    const path = `${identities}/${person.id}`;
    const act = (): Act => ['entity.deleted', person.id];
    await this.#recorder.write('delete', writes, { expected: 200, method: 'DELETE', path, act });
    await send([404], 'GET', path, { token });
    await this.checkSessions(person);
    if (person.token) await this.checkTokenUsed(person);
  }

  async disable(person: Person) {
    const writes = { [`${person.name} disabled`]: true, ...this.#ended(person) };
    const path = `${identities}/${person.id}/disable`;
    const request = { expected: 200, method: 'POST', path, act: updated(person) };
    await this.#recorder.write('disable', writes, { ...request, body: { durationMinutes: 0 } });
    await this.checkSessions(person);
    await this.read(person);
  }

  async enable(person: Person) {
    const path = `${identities}/${person.id}/enable`;
    const request = { expected: 200, method: 'POST', path, act: updated(person) };
    await this.#recorder.write('enable', { [`${person.name} disabled`]: false }, request);
    await this.checkSessions(person);
    await this.read(person);
  }

  async resetPassword(person: Person) {
    const id = (await this.read(person)).authenticators.updb?.id;
    const password = unique('a new password');
    const writes = { [`${person.name} password`]: password, ...this.#ended(person) };
    const path = `${management}/authenticators/${id}`;
    const act = (): Act => ['password.changed', id];
    const request = { expected: 200, method: 'PATCH', path, body: { password }, act };
    await this.#recorder.write('reset password', writes, request);
    await this.checkSessions(person);
  }

  async removeAuthenticator(person: Person) {
    const id = (await this.read(person)).authenticators.updb?.id;
    const writes = { [`${person.name} credential`]: 'none', ...this.#ended(person) };
    const path = `${management}/authenticators/${id}`;
    const act = (): Act => ['entity.deleted', id];
    await this.#recorder.write('delete authenticator', writes, { expected: 200, method: 'DELETE', path, act });
    await this.checkSessions(person);
    await this.read(person);
  }

  async signOut(person: Person) {
    const session = this.#liveSession(person);
    const path = `${client}/current-api-session`;
    const writes = { [session.key]: 'ended', ...this.services.ended(person, session) };
    const request = { expected: 200, method: 'DELETE', path, token: session.token, act: endOf(session) };
    await this.#recorder.write('sign out', writes, request);
    await this.checkSessions(person);
  }

  async removeSession(person: Person) {
    const session = this.#liveSession(person);
    const path = `${management}/api-sessions/${session.id}`;
    const writes = { [session.key]: 'ended', ...this.services.ended(person, session) };
    const request = { expected: 200, method: 'DELETE', path, act: endOf(session) };
    await this.#recorder.write('remove session', writes, request);
    await this.checkSessions(person);
  }

  /** Returns the details of all identities. */
  async list() {
    const { send, token } = this.#recorder;
    const { data } = await send<IdentityState[]>([200], 'GET', `${identities}?limit=-1`, { token });
    return data;
  }

  #liveSessions({ sessions }: Pick<Person, 'sessions'>) {
    return sessions.filter((session) => this.#recorder.isLive(session));
  }

  #liveSession(person: Person) {
    const [session] = this.#liveSessions(person);
    if (session === undefined) throw new Error(`${person.name} has no API session`);
    return session;
  }

  /** All that ends with a person. */
  #ended(person: Person) {
    const sessions = this.#liveSessions(person).map(({ key }) => [key, 'ended']);
    return { ...Object.fromEntries(sessions), ...this.services.ended(person) };
  }
}

const updated = (person: Person) => (): Act => ['entity.updated', person.id];
const endOf =
  ({ id }: CrashSession) =>
  (): Act => ['apiSession.ended', id];

/** Signs in the administrator. Returns the API session. */
export async function signInAdmin(send: Send): Promise<CrashSession> {
  const path = `${management}/authenticate?method=password`;
  const { data } = await send<{ id: string; token: string }>([200], 'POST', path, { body: adminCredentials });
  return { key: unique('session'), id: data.id, token: data.token };
}
