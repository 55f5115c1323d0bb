import type { History } from './history.ts';

let counter = 0;
/** A value or a name that is used once. */
export function unique(prefix: string) {
  counter += 1;
  return `${prefix}-${counter}`;
}

/** The role attribute of identities that may dial the service. */
export const dialAttribute = 'dials';

/** An API session, and its key in the history. */
export interface CrashSession {
  readonly key: string;
  readonly id: string;
  readonly token: string;
}

/** A session of the service, and its key in the history. */
export interface ServiceSession {
  readonly key: string;
  readonly id: string;
  readonly apiSession: CrashSession;
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

/** A person that does not exist yet. */
export function newPerson(
  history: History,
  { life, username }: { life: number; username?: string | undefined },
): Person {
  const name = unique('identity');
  history.assume({ [`${name} exists`]: false });
  return { name, username, life, sessions: [], serviceSessions: [] };
}

/** One value, stored in a column and in another table. */
export function fieldsOf(value: string, mayDial: boolean) {
  return { tags: { value }, roleAttributes: [value, `${value}-twin`, ...(mayDial ? [dialAttribute] : [])] };
}

/** What `fieldsOf` writes, by key of the history. */
export function writesOf(name: string, value: string, mayDial: boolean) {
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
