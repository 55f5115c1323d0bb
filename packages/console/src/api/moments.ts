const format = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

/** A time of the wire in the zone of the browser: `Nov 24, 2026, 5:12 PM`. */
export function momentText(time: string): string {
  return format.format(new Date(time));
}
