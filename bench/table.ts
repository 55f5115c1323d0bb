import { hasWrk } from './load.ts';
import type { Figure, Figures, Result } from './rounds.ts';
import { median } from './rounds.ts';

/** The CPU time of the server first: the other figures are also those of the load generator and of the machine. */
const columns: Readonly<Record<Figure, (value: number) => string>> = {
  cpu: (value) => `${value.toFixed(value < 100 ? 1 : 0)} us CPU`,
  rate: (value) => `${value.toFixed(value < 1_000 ? 1 : 0)}/s${hasWrk ? '' : ' (generator)'}`,
  p99: (value) => `p99 ${value.toFixed(1)} ms`,
  time: (value) => `${value.toFixed(1)} ms`,
  longest: (value) => `max ${value.toFixed(1)} ms`,
};

/** Prints the median of each figure, then the median, the lowest and the highest of its ratios to the first result. */
export function printTable(title: string, results: readonly Result[]): void {
  const [baseline] = results;
  if (!baseline) return;
  const figures = (Object.keys(columns) as Figure[]).filter((figure) => baseline.rounds[0]?.[figure] !== undefined);
  say(`\n${title}`);
  for (const result of results) {
    const cells = figures.map((figure) => {
      const value = columns[figure](median(valuesOf(result.rounds, figure)));
      const ratio = result === baseline ? '' : ratioOf(result.rounds, baseline.rounds, figure);
      return `${value.padStart(hasWrk ? 13 : 25)} ${ratio.padEnd(18)}`;
    });
    say(`  ${result.name.padEnd(46)}${cells.join('')}`.trimEnd());
  }
}

/** Ratios are taken within a round, where both had the same machine; the noise between rounds cancels out. */
function ratioOf(rounds: readonly Figures[], baseline: readonly Figures[], figure: Figure): string {
  const base = valuesOf(baseline, figure);
  const ratios = valuesOf(rounds, figure).map((value, round) => value / (base[round] ?? Number.NaN));
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  return `x${median(ratios).toFixed(2)} (${low.toFixed(2)}-${high.toFixed(2)})`;
}

function valuesOf(rounds: readonly Figures[], figure: Figure): number[] {
  return rounds.map((figures) => figures[figure] ?? Number.NaN);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
