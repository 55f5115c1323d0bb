import { RecentlyUsed } from '../../../../core/cache/recently-used.ts';
import { loadPerTurn } from '../../../../core/turns/load-per-turn.ts';
import { placeOfServiceSession } from '../../service-session-id.ts';
import type {
  ServiceSession,
  ServiceSessionPlace,
  ServiceSessionStore,
  StoredServiceSession,
} from '../../service-sessions.ts';
import type { SessionKey } from '../../session-key.ts';
import type { Member, RedisKeys } from '../keys.ts';
import { memberText } from '../keys.ts';
import type { RunScript } from '../scripts.ts';
import { splitIntoCalls } from '../scripts.ts';
import type { SessionIndex } from '../session-index.ts';
import type { Field, IndexedField } from './field-scripts.ts';
import type { SealedField } from './sealed-field.ts';

const prefix = 'session:';
/** At least so many values are remembered, and at most twice as many. One takes less than 1 KB. */
const maxVerified = 10_000;

type FieldPlace = Pick<ServiceSession, 'type' | 'serviceId'>;

const fieldOf = ({ type, serviceId }: FieldPlace) => `${prefix}${type}:${serviceId}`;

function placeOf(field: string): FieldPlace | null {
  const [, type, serviceId] = field.split(':');
  return (type === 'Dial' || type === 'Bind') && serviceId ? { type, serviceId } : null;
}

/** Between the key and the name of a field. */
const separator = '\n';

function fieldFrom(text: string): Field {
  const [key = '', name = ''] = text.split(separator);
  return { key, name };
}

/** The part of a value that no other session has. */
const idPart = (id: string) => `"id":${JSON.stringify(id)}`;

/** A session as a field of the hash of its API session. The name of the field has its service and its type. */
type StoredFields = Omit<ServiceSession, keyof FieldPlace>;

interface ServiceSessionsOptions {
  readonly run: RunScript;
  readonly keys: RedisKeys;
  readonly sealed: SealedField;
  /** On the same connection as `run`. */
  readonly index: SessionIndex;
}

/**
 * Stores the sessions of services as fields of the hash of their API session, so that they end with its key. An index helps to
 * find those of many API sessions. It may have members of API sessions that have ended, until their sweep.
 */
export class RedisServiceSessions {
  readonly #parts: ServiceSessionsOptions;
  /** Values whose seals were verified. */
  readonly #verified = new RecentlyUsed<{ readonly value: string; readonly fields: StoredFields }>(maxVerified);

  /** One command reads the fields that requests of one event-loop turn ask for. */
  readonly #valueOf = loadPerTurn(async (run: RunScript, wanted) => {
    const calls = splitIntoCalls(wanted.map(fieldFrom));
    const values = (await run((client) => Promise.all(calls.map((fields) => client.readFields(fields))))).flat();
    return new Map(wanted.flatMap((text, at): [string, string][] => (values[at] ? [[text, values[at]]] : [])));
  });

  constructor(parts: ServiceSessionsOptions) {
    this.#parts = parts;
  }

  async open(session: StoredServiceSession, limit: number): ReturnType<ServiceSessionStore['open']> {
    const { run } = this.#parts;
    const { apiSession, ...opened } = session;
    const field = this.#indexed(session);
    const found = await run((client) => client.openField(field, { value: this.#write(session), prefix, limit }));
    if (found.includes(idPart(session.id))) return opened;
    if (found === 'full' || found === 'no session') return found;
    // A value that no controller has written counts as missing: the session is replaced.
    const { id, createdAt, tags } = this.#read(apiSession, session, found) ?? {};
    if (id !== undefined && createdAt !== undefined && tags) return { ...opened, id, createdAt, tags };
    await run((client) => client.removeField(field, ''));
    return await this.open(session, limit);
  }

  async present({ apiSession, type, serviceId }: ServiceSessionPlace): Promise<ServiceSession | null> {
    const place = { type, serviceId };
    const { key, name } = this.#field(apiSession, place);
    const value = await this.#valueOf(this.#parts.run, key + separator + name);
    const fields = this.#read(apiSession, place, value ?? null);
    return fields && { ...fields, ...place };
  }

  async find(id: string): Promise<StoredServiceSession | null> {
    const place = placeOfServiceSession(id);
    const apiSession = place && (await this.#parts.index.find(place.apiSessionId));
    if (!apiSession) return null;
    const [found] = await this.load([{ ...apiSession, id }]);
    return found ?? null;
  }

  async ofApiSession({ id, tokenHash, identityId }: SessionKey): Promise<readonly StoredServiceSession[]> {
    const apiSession = { id, tokenHash, identityId };
    const { run, keys } = this.#parts;
    const fields = await run((client) => client.readFieldsWith(keys.session(tokenHash), prefix));
    return fields.flatMap(({ name, value }) => {
      const place = placeOf(name);
      const stored = place && this.#read(apiSession, place, value);
      return stored ? [{ ...stored, ...place, apiSession }] : [];
    });
  }

  async *batches(identityId?: string): AsyncGenerator<readonly StoredServiceSession[]> {
    const { index, keys } = this.#parts;
    if (identityId !== undefined) {
      for await (const apiSessions of index.batches({ key: keys.identity(identityId) })) {
        for (const apiSession of apiSessions) yield await this.ofApiSession(apiSession);
      }
      return;
    }
    for await (const members of index.batches({ key: keys.serviceSessions })) yield await this.load(members);
  }

  remove(session: StoredServiceSession): Promise<boolean> {
    return this.#parts.run((client) => client.removeField(this.#indexed(session), idPart(session.id)));
  }

  /** Reads the sessions of these members. Leaves out those that do not exist. */
  async load(members: readonly Member[]): Promise<readonly StoredServiceSession[]> {
    const placed = members.flatMap((member) => {
      const place = placeOfServiceSession(member.id);
      const { tokenHash, identityId } = member;
      return place ? [{ place, member, apiSession: { id: place.apiSessionId, tokenHash, identityId } }] : [];
    });
    const calls = splitIntoCalls(placed.map(({ place, apiSession }) => this.#field(apiSession, place)));
    const { run } = this.#parts;
    const values = (await run((client) => Promise.all(calls.map((fields) => client.readFields(fields))))).flat();
    return placed.flatMap(({ place: { type, serviceId }, member, apiSession }, at) => {
      const stored = this.#read(apiSession, { type, serviceId }, values[at] ?? null);
      return stored?.id === member.id ? [{ ...stored, type, serviceId, apiSession }] : [];
    });
  }

  #field({ tokenHash }: Pick<SessionKey, 'tokenHash'>, place: FieldPlace) {
    return { key: this.#parts.keys.session(tokenHash), name: fieldOf(place) };
  }

  #indexed(session: StoredServiceSession): IndexedField {
    const member = memberText(memberOf(session));
    return { ...this.#field(session.apiSession, session), index: this.#parts.keys.serviceSessions, member };
  }

  #write(session: StoredServiceSession): string {
    const { id, tags, createdAt } = session;
    const fields: StoredFields = { id, tags, createdAt };
    return this.#parts.sealed.write(session.apiSession.tokenHash, fieldOf(session), JSON.stringify(fields));
  }

  #read({ tokenHash }: Pick<SessionKey, 'tokenHash'>, place: FieldPlace, value: string | null): StoredFields | null {
    const name = fieldOf(place);
    const key = `${tokenHash} ${name}`;
    const known = this.#verified.get(key);
    if (known?.value === value) return known.fields;
    const json = this.#parts.sealed.read(tokenHash, name, value);
    if (value === null || json === null) return null;
    const fields: StoredFields = JSON.parse(json);
    this.#verified.set(key, { value, fields });
    return fields;
  }
}

function memberOf({ id, apiSession: { tokenHash, identityId } }: StoredServiceSession): Member {
  return { id, tokenHash, identityId };
}
