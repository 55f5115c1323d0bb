/** A terminator that a circuit may end at. */
export interface TerminatorCandidate {
  readonly id: string;
  /** The name that a caller can dial it by; often empty. */
  readonly instanceId: string;
  readonly precedence: 'required' | 'default' | 'failed';
  /** 0 to 65535. */
  readonly cost: number;
  /** What its circuits and failed dials cost. */
  readonly dynamicCost: number;
  /** What the path to its router costs, or why there is none. */
  readonly pathCost: number | 'offline' | 'unreachable';
}

export interface TerminatorRequest {
  /** The strategy of the service. An unknown name counts as `smartrouting`. */
  readonly strategy: string;
  /** Only terminators with this instance id count; empty: those without one. */
  readonly instanceId: string;
  /** The token of an earlier choice that the dialer has sent. */
  readonly stickinessToken: string | null;
  /** At least 0 and less than 1, as `Math.random`. */
  readonly random: () => number;
}

/**
 * Why no terminator can be chosen.
 *
 * - `none`: there are no terminators
 * - `no instance`: none has the instance id
 * - `offline`: no router of those is connected
 * - `unreachable`: one is, but no path leads to it
 */
export type TerminatorProblem = 'none' | 'no instance' | 'offline' | 'unreachable';

export type TerminatorChoice<Candidate> =
  | {
      readonly terminator: Candidate;
      /** The sum of its costs. */
      readonly cost: number;
      /** For the dialer, so that its next circuit ends at the same terminator. `null`: the strategy has none. */
      readonly stickinessToken: string | null;
    }
  | { readonly terminator: null; readonly problem: TerminatorProblem };

interface Costed<Candidate> {
  readonly terminator: Candidate;
  readonly cost: number;
}

/** Chooses among terminators with the same precedence. There is at least one. */
type Strategy = <Candidate extends TerminatorCandidate>(
  related: readonly [Costed<Candidate>, ...Costed<Candidate>[]],
  request: TerminatorRequest,
) => Costed<Candidate>;

/** A terminator of a lower precedence is used only when there is none of a higher one, whatever it costs. */
const ranks: Readonly<Record<TerminatorCandidate['precedence'], number>> = { required: 0, default: 1, failed: 2 };

const smartrouting: Strategy = (related) => related.reduce((one, other) => (isBefore(other, one) ? other : one));

const strategies = {
  smartrouting,

  random: (related, { random }) => related[Math.floor(random() * related.length)] ?? related[0],

  /** One that costs twice as much is chosen half as often. */
  weighted(related, { random }) {
    const weights = related.map(({ cost }) => 1 / Math.max(1, cost));
    let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
    for (const [index, one] of related.entries()) {
      left -= weights[index] ?? 0;
      if (left < 0) return one;
    }
    return related[0];
  },

  sticky: (related, request) =>
    related.find(({ terminator }) => terminator.id === request.stickinessToken) ?? smartrouting(related, request),
} as const satisfies Readonly<Record<string, Strategy>>;

/** The names of the strategies that a service can have. */
export const terminatorStrategies: readonly string[] = Object.keys(strategies);

/** Chooses the terminator at which a circuit ends. Of two that cost the same, the order of their ids decides. */
export function chooseTerminator<Candidate extends TerminatorCandidate>(
  candidates: Iterable<Candidate>,
  request: TerminatorRequest,
): TerminatorChoice<Candidate> {
  let related: Costed<Candidate>[] = [];
  let problem: TerminatorProblem = 'none';
  let rank = Number.POSITIVE_INFINITY;
  for (const terminator of candidates) {
    if (problem === 'none') problem = 'no instance';
    if (terminator.instanceId !== request.instanceId) continue;
    const { pathCost, precedence } = terminator;
    if (typeof pathCost === 'string') {
      if (problem !== 'unreachable') problem = pathCost;
      continue;
    }
    if (ranks[precedence] > rank) continue;
    if (ranks[precedence] < rank) related = [];
    rank = ranks[precedence];
    related.push({ terminator, cost: terminator.cost + terminator.dynamicCost + pathCost });
  }
  const [first, ...others] = related;
  if (!first) return { terminator: null, problem };
  const chosen = strategyOf(request.strategy)([first, ...others], request);
  return { ...chosen, stickinessToken: request.strategy === 'sticky' ? chosen.terminator.id : null };
}

function strategyOf(name: string): Strategy {
  return Object.hasOwn(strategies, name) ? strategies[name as keyof typeof strategies] : smartrouting;
}

function isBefore<Candidate extends TerminatorCandidate>(one: Costed<Candidate>, other: Costed<Candidate>): boolean {
  return one.cost < other.cost || (one.cost === other.cost && one.terminator.id < other.terminator.id);
}
