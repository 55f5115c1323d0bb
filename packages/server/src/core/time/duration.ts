const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Milliseconds of a duration such as `30m`, `90s`, `1h30m` or `500ms`; `null` when `text` is none. */
export function parseDuration(text: string): number | null {
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?(?:ms|s|m|h)){1,4}$/.test(text)) return null;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
    total += Number(amount) * units[unit as keyof typeof units];
  }
  return Math.round(total);
}

/** A duration as it is written in settings, in the greatest unit that needs no fraction: `30m`, `90s`. */
export function formatDuration(milliseconds: number): string {
  const fitting = Object.entries(units).filter(([, length]) => milliseconds % length === 0);
  const [unit, length] = fitting.at(-1) ?? ['ms', 1];
  return `${milliseconds / length}${unit}`;
}
