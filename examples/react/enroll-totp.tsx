import type { TotpEnrollment } from '@edge-controller/sdk';
import { qrSvg } from '@edge-controller/sdk/qr';
import type { FormEvent } from 'react';
import { useMemo } from 'react';
import { Problem } from './problem.tsx';
import { useAction } from './use-action.ts';

interface EnrollTotpProps {
  readonly enrollment: TotpEnrollment;
  readonly onDone: () => void;
}

export function EnrollTotp({ enrollment, onDone }: EnrollTotpProps) {
  const { provisioningUrl, secret, recoveryCodes, verify } = enrollment;
  const image = useMemo(() => `data:image/svg+xml,${encodeURIComponent(qrSvg(provisioningUrl))}`, [provisioningUrl]);
  const { run, isPending, error } = useAction(async (code: string) => {
    await verify(code);
    onDone();
  });

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    void run(String(new FormData(event.currentTarget).get('code')));
  }

  return (
    <form className="view" onSubmit={submit}>
      <h2>Authenticator app</h2>
      <Problem error={error} />
      <p>Scan the code with the app, then enter the six digits that it shows.</p>
      <img id="qr" src={image} alt="QR code for the authenticator app" width="256" height="256" />
      <p className="key">
        or type this key <code>{secret}</code>
      </p>
      <details>
        <summary>Recovery codes: keep them where your phone is not</summary>
        <ul id="recovery-codes">
          {recoveryCodes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </details>
      <label>
        Code <input name="code" className="code" autoComplete="one-time-code" inputMode="numeric" required />
      </label>
      <button type="submit" disabled={isPending}>
        Verify
      </button>
      <div className="links">
        <button type="button" className="link" onClick={onDone}>
          Not now
        </button>
      </div>
    </form>
  );
}
