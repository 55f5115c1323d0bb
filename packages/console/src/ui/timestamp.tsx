import { exactMomentText } from '../api/moments.ts';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Seconds of each unit, the largest first. */
const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A time in the zone of the browser. With `now`: how long ago it was. */
export function Timestamp({ at, now }: { readonly at: string; readonly now?: number }) {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return at;
  const text = exactMomentText(at);
  return (
    <time dateTime={at} title={text}>
      {now === undefined ? text : ago((now - time) / 1_000)}
    </time>
  );
}

/** The clock of the controller may be ahead. */
function ago(seconds: number): string {
  const unit = units.find(([, size]) => seconds >= size);
  return unit === undefined ? 'just now' : relative.format(-Math.floor(seconds / unit[1]), unit[0]);
}
