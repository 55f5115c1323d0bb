import { ProgressBar as AriaProgressBar, Label } from 'react-aria-components';
import './progress-bar.css';

interface ProgressBarProps {
  readonly label: string;
  readonly value: number;
  readonly total: number;
}

/** How far something is. */
export function ProgressBar({ label, value, total }: ProgressBarProps) {
  const text = `${value.toLocaleString()} of ${total.toLocaleString()}`;
  return (
    <AriaProgressBar className="progress" value={value} maxValue={total} valueLabel={text}>
      {({ percentage = 0 }) => (
        <>
          <div className="row spread">
            <Label>{label}</Label>
            <span>{text}</span>
          </div>
          <div className="track">
            <div className="fill" style={{ width: `${percentage}%` }} />
          </div>
        </>
      )}
    </AriaProgressBar>
  );
}
