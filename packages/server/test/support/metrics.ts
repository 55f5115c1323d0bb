/** The values of `/metrics`, by what stands before them: `edge_sign_ins_total{method="password",outcome="success"}`. */
export async function readMetrics(operationsUrl: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${operationsUrl}/metrics`);
  if (!response.ok) throw new Error(`/metrics answered ${response.status}`);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

/** The names of all metrics, as `# TYPE` says them. */
export async function metricNames(operationsUrl: string): Promise<readonly string[]> {
  const text = await (await fetch(`${operationsUrl}/metrics`)).text();
  return Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name = '']) => name);
}
