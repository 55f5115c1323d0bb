const short = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time of the wire in the zone and the language of the browser: `Nov 24, 2026, 5:12 PM`. */
export function momentText(time: string): string {
  return short.format(new Date(time));
}

/** The same with seconds: `Nov 24, 2026, 5:12:05 PM`. */
export function exactMomentText(time: string): string {
  return exact.format(new Date(time));
}
