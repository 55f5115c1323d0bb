import { parser } from '@prometheus-io/lezer-promql';

/** What an expression of PromQL reads. */
export interface PromqlUse {
  /** Where the grammar finds a mistake. `null`: nowhere. */
  readonly mistake: string | null;
  readonly metrics: readonly string[];
  /** Labels that it matches or groups by. */
  readonly labels: readonly string[];
}

/** Reads an expression with the grammar of Prometheus. */
export function readPromql(expression: string): PromqlUse {
  const metrics = new Set<string>();
  const labels = new Set<string>();
  let mistake: string | null = null;
  parser.parse(expression).iterate({
    enter({ name, from, to, type, node }) {
      const text = expression.slice(from, to);
      if (type.isError) mistake ??= expression.slice(Math.max(0, from - 20), to + 20);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.add(text);
      if (name === 'LabelName') labels.add(text);
    },
  });
  return { mistake, metrics: [...metrics], labels: [...labels] };
}
