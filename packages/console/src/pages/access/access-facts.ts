import type { IdentityDetail } from '@edge-controller/sdk';
import type { Advice, CheckedPolicy, Hosts, Pair, Posture } from './read-access.ts';

/** What the controller has said, or why it could not be read. */
export type Known<Value> = { readonly value: Value } | { readonly gap: string };

export interface AccessFacts {
  readonly pair: Pair;
  readonly advice: Advice;
  readonly identity: Known<IdentityDetail>;
  /** The policies that name both, with `isCut` when there may be more. */
  readonly policies: Known<{ readonly checked: readonly CheckedPolicy[]; readonly isCut: boolean }>;
  readonly posture: Known<Posture>;
  readonly hasSession: Known<boolean>;
  readonly hosts: Known<Hosts>;
}

/** One condition of the way from an identity to a service. */
export interface Condition {
  readonly title: string;
  readonly state: 'ok' | 'bad' | 'unknown';
  readonly text: string;
  /** Where somebody can mend it. */
  readonly remedy?: Remedy | undefined;
}

export interface Remedy {
  /** The resource of the list. */
  readonly resource: string;
  /** What the form of a new one shows at first. Absent: a new one is not what is missing. */
  readonly fields?: Readonly<Record<string, unknown>>;
}
