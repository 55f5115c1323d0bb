/** What an entry acted on. `null`: nothing that has an id. */
export type On = readonly [entityType: string, entityId: string | null] | null;

/** What the audit log says about an event with the payload `P`, besides its name, its time and its request. */
interface Entry<P> {
  /** Default: it was done. */
  readonly outcome?: 'failure';
  /**
   * Who can cause it at any rate. `nobody`: each is written. `anybody`: unauthenticated clients, and users. `owners`: identities without any
   * permission, in what is their own; of those with permissions each is written.
   */
  readonly repeatedBy: 'nobody' | 'anybody' | 'owners';
  /** Who acted. `caller`: the identity of the API session of the request. Default: the controller, or somebody unknown. */
  readonly who?: (payload: P, caller: string | null) => string | null;
  readonly on?: (payload: P) => On;
  /** The members of the payload that it has, or what it has instead. */
  readonly details: readonly (keyof P & string)[] | ((payload: P) => object);
  /** False: this one has no entry. */
  readonly isWritten?: (payload: P) => boolean;
}

/** An event with an entry of the audit log, which has its name. */
export interface Event<P> {
  /** Nothing is here: it only carries the type. */
  readonly payload?: P;
  readonly entry: Entry<P>;
}

/** An event that the audit log does not have. */
export interface UnloggedEvent<P> {
  readonly payload?: P;
  readonly entry: null;
}

export function event<P>(entry: Entry<P>): Event<P> {
  return { entry };
}

export function unlogged<P>(): UnloggedEvent<P> {
  return { entry: null };
}
