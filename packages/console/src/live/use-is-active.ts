import { useEffect, useState } from 'react';

/** Milliseconds after the last act of the person for which a page goes on asking the controller. */
const activeTime = 10 * 60_000;
const acts = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/** Whether somebody has used the page within the last 10 minutes. */
export function useIsActive(): boolean {
  const [isActive, setIsActive] = useState(true);
  useEffect(() => {
    let timer: number | undefined;
    function markActive(): void {
      setIsActive(true);
      clearTimeout(timer);
      timer = window.setTimeout(() => setIsActive(false), activeTime);
    }
    markActive();
    for (const act of acts) addEventListener(act, markActive, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const act of acts) removeEventListener(act, markActive);
    };
  }, []);
  return isActive;
}
