import { PlainTable } from '../../ui/plain-table.tsx';
import type { HourCount } from './count-sign-ins.ts';

const width = 24;
const gap = 5;
const height = 120;
/** What the controller counts at most. */
const mostCounted = 10_000;

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });

/** Bars of the hours, and the same as a table. */
export function SignInChart({ hours }: { readonly hours: readonly HourCount[] }) {
  const sum = (count: (hour: HourCount) => number) => hours.reduce((total, hour) => total + count(hour), 0);
  const most = Math.max(1, ...hours.map(({ accepted, refused }) => accepted + refused));
  const [accepted, refused] = [sum((hour) => hour.accepted), sum((hour) => hour.refused)];
  return (
    <>
      <p className="row">
        <span>
          <span className="key accepted" aria-hidden="true" /> {shown(accepted)} accepted
        </span>
        <span>
          <span className="key refused" aria-hidden="true" /> {shown(refused)} refused
        </span>
        <span className="soft">in the last {hours.length} hours</span>
      </p>
      <div className="chart">
        <span className="soft scale" aria-hidden="true">
          {shown(most)}
        </span>
        <svg
          viewBox={`0 0 ${hours.length * width} ${height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={`Bar chart of sign-ins per hour: ${shown(accepted)} accepted, ${shown(refused)} refused`}
        >
          {hours.map((hour, at) => (
            <Bar key={hour.start} hour={hour} at={at} scale={height / most} />
          ))}
        </svg>
        <div className="hours soft" aria-hidden="true">
          {hours
            .filter((_, at) => at % 6 === 0)
            .map(({ start }) => (
              <span key={start}>{clock.format(start)}</span>
            ))}
          <span>now</span>
        </div>
      </div>
      <details>
        <summary>Show as a table</summary>
        <PlainTable label="Sign-ins per hour" columns={['Hour', 'Accepted', 'Refused']}>
          {hours.toReversed().map((hour) => (
            <tr key={hour.start}>
              <th scope="row">{clock.format(hour.start)}</th>
              <td>{shown(hour.accepted)}</td>
              <td>{shown(hour.refused)}</td>
            </tr>
          ))}
        </PlainTable>
      </details>
    </>
  );
}

interface BarProps {
  readonly hour: HourCount;
  readonly at: number;
  /** Height of one sign-in. */
  readonly scale: number;
}

function Bar({ hour: { start, accepted, refused }, at, scale }: BarProps) {
  const top = height - (accepted + refused) * scale;
  const box = { x: at * width + gap / 2, width: width - gap };
  return (
    <g>
      <title>{`${clock.format(start)}: ${shown(accepted)} accepted, ${shown(refused)} refused`}</title>
      <rect className="ground" {...box} y={0} height={height} />
      <rect className="refused" {...box} y={top} height={refused * scale} />
      <rect className="accepted" {...box} y={top + refused * scale} height={accepted * scale} />
    </g>
  );
}

function shown(count: number): string {
  return count > mostCounted ? `more than ${mostCounted.toLocaleString()}` : count.toLocaleString();
}
