/**
 * How this controller differs from the reference in one place.
 *
 * - `operation`: the controller lacks it
 * - `status`: a success has another status
 * - `missing`: a response may lack the member, or a request may not have the member or the query parameter
 * - `extra`: a member that the reference lacks
 * - `required`: a request must have the member
 * - `null`: a response may have null there, or a request may not
 * - `type`, `enum`, `format`: a value that the reference does not allow, or one that it allows and the controller refuses
 */
export type Kind = 'operation' | 'status' | 'missing' | 'extra' | 'required' | 'null' | 'type' | 'enum' | 'format';

export interface Difference {
  readonly kind: Kind;
  /** An operation (`GET /identities/{id}`), a query parameter of it (`GET /services?configTypes`), or a member. */
  readonly at: string;
  readonly expected: string;
  readonly got: string;
}

/** Says it as the table of differences does, and what was expected: `null caDetail.name: expected string, got null`. */
export function describeDifference({ kind, at, expected, got }: Difference): string {
  return `${kind} ${at}: expected ${expected}, got ${got}`;
}

/** Formats that clients parse. */
export const comparedFormats: ReadonlySet<string> = new Set(['date-time', 'uuid']);
