import { useEdge } from '@edge-controller/sdk/react';
import { useEffect, useRef, useState } from 'react';

/** Signs out, and tells whether the last sign-out was in another tab. */
export function useSignOut() {
  const edge = useEdge();
  const isOwn = useRef(false);
  const [wasElsewhere, setElsewhere] = useState(false);

  useEffect(() => {
    const aborter = new AbortController();
    edge.on('signedOut', () => setElsewhere(!isOwn.current), { signal: aborter.signal });
    return () => aborter.abort();
  }, [edge]);

  return {
    wasElsewhere,
    async signOut() {
      isOwn.current = true;
      await edge.signOut();
      isOwn.current = false;
    },
  };
}
