/**
 * `rate` per second, `cpu` in microseconds of the server per request, `p99`, `longest` and `time` (of one request) in
 * milliseconds.
 */
export type Figure = 'rate' | 'cpu' | 'p99' | 'longest' | 'time';
export type Figures = Readonly<Partial<Record<Figure, number>>>;

export interface Contender {
  readonly name: string;
  measure(seconds: number): Promise<Figures>;
}

/** Contenders for the same work; the first is the baseline. */
export type Contest = readonly [Contender, ...Contender[]];

/** What a contender reached, one entry per round. */
export interface Result {
  readonly name: string;
  readonly rounds: readonly Figures[];
}

/** Long enough for the hot path to be compiled: a server runs for weeks. */
const warmUpSeconds = 5;

/**
 * Measures all contenders in every round. A machine that slows down for a while slows all of them, so compare them
 * within a round and never across rounds. The order turns with each round: nobody always follows the same neighbour.
 */
export async function inRounds(
  contest: Contest,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Result[]> {
  for (const contender of contest) await contender.measure(warmUpSeconds);
  const results = contest.map((contender) => ({ contender, rounds: [] as Figures[] }));
  for (let round = 0; round < rounds; round += 1) {
    const turn = round % 2 === 0 ? results : results.toReversed();
    for (const result of turn) result.rounds.push(await result.contender.measure(seconds));
  }
  return results.map(({ contender, rounds }) => ({ name: contender.name, rounds }));
}

/** For contenders in one process, which differ by a few percent: as much time, in rounds of a second. */
export function inShorterRounds({ rounds, seconds }: { readonly rounds: number; readonly seconds: number }) {
  return { rounds: rounds * seconds, seconds: 1 };
}

/** The results of several contenders that are alike as one: one alone may be faster or slower than another for its whole life. */
export function meanOf(name: string, results: readonly Result[]): Result {
  const [first] = results;
  const rounds = first?.rounds.map((figures, round) => {
    const entries = (Object.keys(figures) as Figure[]).map((figure) => {
      const product = results.reduce((so, { rounds }) => so * (rounds[round]?.[figure] ?? Number.NaN), 1);
      return [figure, product ** (1 / results.length)];
    });
    return Object.fromEntries(entries) as Figures;
  });
  return { name, rounds: rounds ?? [] };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const upper = sorted[Math.floor(middle)] ?? Number.NaN;
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
