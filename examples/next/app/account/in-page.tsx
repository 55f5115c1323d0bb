'use client';

import type { EdgeClient } from '@edge-controller/sdk';
import { cookieStorage, createEdgeClient } from '@edge-controller/sdk';
import { useEffect, useState } from 'react';

/** The client in the page. The server passes its calls on to the controller, so the page never gets the token. */
export function InPage() {
  const [edge, setEdge] = useState<EdgeClient>();
  const [state, setState] = useState('unknown');
  const [identity, setIdentity] = useState('');

  useEffect(() => {
    const client = createEdgeClient(location.origin, { storage: cookieStorage() });
    setEdge(client);
    client.on('stateChange', (change) => setState(change.state));
    client.client.currentIdentity.get().then(
      ({ id }) => setIdentity(id),
      () => undefined,
    );
    return () => client.dispose();
  }, []);

  async function signOut() {
    await edge?.signOut();
    location.assign('/');
  }

  return (
    <>
      <p>
        The client in the page: <output id="state">{state}</output> <output id="identity">{identity}</output>
      </p>
      <button type="button" onClick={signOut}>
        Sign out here
      </button>
    </>
  );
}
