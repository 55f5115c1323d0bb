import { useEffect, useState } from 'react';

/** The time, for a component that shows how long ago something was. `every`: milliseconds between two renders. */
export function useNow(every: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every]);
  return now;
}
