import { CopyButton } from '../ui/copy-button.tsx';
import { DownloadButton } from '../ui/download-button.tsx';
import './totp.css';

/** The codes of a person who has lost the authenticator app. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }) {
  const text = codes.join('\n');
  return (
    <div className="stack">
      <ul className="recovery-codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <CopyButton label="Copy all" text={text} />
        <DownloadButton label="Download" fileName="recovery-codes.txt" text={`${text}\n`} />
      </div>
    </div>
  );
}
