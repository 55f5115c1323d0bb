import { useEdge } from '@edge-controller/sdk/react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EnrollTotp } from '../../totp/enroll-totp.tsx';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/modal.tsx';
import { QueryPart } from '../../ui/query-part.tsx';
import { EndOtherSessions } from './end-other-sessions.tsx';
import { RemoveTotp } from './remove-totp.tsx';
import { RenewRecoveryCodes } from './renew-recovery-codes.tsx';
import { ShowRecoveryCodes } from './show-recovery-codes.tsx';

const titles = {
  enroll: 'Set up an authenticator app',
  show: 'Recovery codes',
  renew: 'New recovery codes',
  remove: 'Remove the authenticator app',
};

type Act = keyof typeof titles;

/** The second factor of the person. */
export function TotpCard() {
  const edge = useEdge();
  const queries = useQueryClient();
  const [act, setAct] = useState<Act | null>(null);
  const [isChanged, setIsChanged] = useState(false);
  const queryKey = ['entity', 'client', 'mfa'];
  const isEnabled = useQuery({ queryKey, queryFn: ({ signal }) => edge.mfa.isEnabled({ signal }) });

  function finish(): void {
    setAct(null);
    void queries.invalidateQueries({ queryKey });
  }

  function finishChange(next: Act | null = null): void {
    finish();
    setIsChanged(true);
    setAct(next);
  }

  return (
    <section className="card" aria-labelledby="account-totp">
      <h2 id="account-totp">Authenticator app</h2>
      <QueryPart query={isEnabled} what="your second factor">
        {(enabled) => (enabled ? <Enabled onAct={setAct} /> : <Disabled onAct={setAct} />)}
      </QueryPart>
      {isChanged && act === null && <EndOtherSessions />}
      {act !== null && (
        <Modal title={titles[act]} isOpen onClose={finish}>
          {act === 'enroll' && <EnrollTotp onDone={() => finishChange()} />}
          {act === 'show' && <ShowRecoveryCodes />}
          {act === 'renew' && <RenewRecoveryCodes onDone={() => finishChange('show')} />}
          {act === 'remove' && <RemoveTotp onDone={() => finishChange()} />}
          <Button kind="quiet" onPress={finish}>
            Close
          </Button>
        </Modal>
      )}
    </section>
  );
}

interface StateProps {
  readonly onAct: (act: Act) => void;
}

function Enabled({ onAct }: StateProps) {
  return (
    <>
      <p>
        <span className="badge good">On</span>
      </p>
      <div className="row">
        <Button onPress={() => onAct('show')}>Show recovery codes</Button>
        <Button onPress={() => onAct('renew')}>Make new ones</Button>
        <Button kind="danger" onPress={() => onAct('remove')}>
          Remove
        </Button>
      </div>
    </>
  );
}

function Disabled({ onAct }: StateProps) {
  return (
    <>
      <p>
        <span className="badge warn">Off</span> A password alone can be guessed or stolen.
      </p>
      <div className="row">
        <Button onPress={() => onAct('enroll')}>Set it up</Button>
      </div>
    </>
  );
}
