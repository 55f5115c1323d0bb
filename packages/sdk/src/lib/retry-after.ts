/** The seconds in `Retry-After`, which may also be a date. `null` without the header. */
export function retryAfter(headers: Headers, now: number = Date.parse(headers.get('date') ?? '')): number | null {
  const text = headers.get('retry-after');
  if (text === null) return null;
  const seconds = /^\d+$/.test(text.trim()) ? Number(text) : Math.ceil((Date.parse(text) - now) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
