import { Button } from '../ui/button.tsx';
import './live-switch.css';

interface LiveSwitchProps {
  readonly isPaused: boolean;
  readonly isActive: boolean;
  /** What the button says while the page is paused. */
  readonly start?: string;
  readonly onChange: (isPaused: boolean) => void;
}

/**
 * Says whether a page follows the controller, with a button that changes it. A forgotten page asks nothing: each request would extend
 * its session.
 */
export function LiveSwitch({ isPaused, isActive, start = 'Resume', onChange }: LiveSwitchProps) {
  const text = isPaused ? 'Paused' : isActive ? 'Live' : 'Paused: nobody has used this page for 10 minutes';
  return (
    <div className="row">
      <span className={isPaused || !isActive ? 'badge warn wraps' : 'badge good'} role="status">
        {text}
      </span>
      <Button onPress={() => onChange(!isPaused)}>{isPaused ? start : 'Pause'}</Button>
    </div>
  );
}
