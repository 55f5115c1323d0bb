import type { Session } from '@edge-controller/sdk';
import { useEdge, useSession } from '@edge-controller/sdk/react';
import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import './session-expiring.css';

/** Warns that the session ends soon, and extends it when the person says so. */
export function SessionExpiring() {
  const edge = useEdge();
  const { session } = useSession();
  const [warned, setWarned] = useState<Session | null>(null);
  useEffect(() => edge.on('expiring', setWarned), [edge]);
  useEffect(() => edge.on('extended', () => setWarned(null)), [edge]);
  if (warned === null || warned.id !== session?.id) return null;
  return (
    <div className="session-expiring" role="alert">
      <p>
        Nobody has used this session for a while. It ends at {session.expiresAt?.toLocaleTimeString() ?? 'any moment'}.
      </p>
      {/* Any call extends the session. When it cannot reach the controller, the warning stays. */}
      <Button kind="primary" onPress={() => void edge.client.currentApiSession.get().catch(() => null)}>
        Stay signed in
      </Button>
    </div>
  );
}
