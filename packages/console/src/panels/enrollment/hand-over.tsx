import { momentText } from '../../api/moments.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QrCode } from '../../ui/qr-code.tsx';
import type { EnrollmentDetail } from './enrollment-facts.ts';
import { enrollmentLink } from './enrollment-link.ts';
import { useConsoleAddress } from './use-console-address.ts';
import './enrollment.css';

/** Bytes that a QR code may have. JWTs and links are ASCII. */
const maxQrCode = 2_331;

interface HandOverProps {
  readonly enrollment: EnrollmentDetail;
  /** Name of whoever enrolls. The file is called after it. */
  readonly name: string;
}

/** The JWT of an enrollment in every form in which a device may take it. */
export function HandOver({ enrollment, name }: HandOverProps) {
  const { expiresAt, jwt, method } = enrollment;
  const consoleAddress = useConsoleAddress();
  if (jwt === '') return <Notice>Only somebody who may create enrollments sees the JWT.</Notice>;
  const link = enrollmentLink(enrollment, consoleAddress);
  // A person opens the link. For a device it is only an address.
  const page = method === 'updb' ? link : null;
  const fileName = `${name.replaceAll(/[^\w.-]+/g, '-')}.jwt`;
  return (
    <div className="hand-over">
      <HandOverCode what={page === null ? 'JWT' : 'link'} text={page ?? jwt} />
      <div className="stack">
        <p>
          {page === null ? 'Whoever has this JWT can enroll as' : 'Whoever has this link can set the password of'}{' '}
          <strong>{name}</strong>, once, until <strong>{momentText(expiresAt)}</strong>.
        </p>
        <div className="row">
          {page && <CopyButton label="Copy link" text={page} />}
          <DownloadButton label={`Download ${fileName}`} fileName={fileName} text={`${jwt}\n`} />
          <CopyButton label="Copy JWT" text={jwt} />
        </div>
        {commands[method] && (
          <>
            <h3>{page === null ? 'On the device' : 'Or with the command line'}</h3>
            <CodeBlock label="command" text={commands[method](fileName)} />
          </>
        )}
        <details>
          <summary>Show the JWT as text</summary>
          <pre className="jwt">{jwt}</pre>
        </details>
        {link && page === null && (
          <details>
            <summary>Show the link</summary>
            <p className="soft">A client that takes no JWT sends its request to this address.</p>
            <pre className="jwt">{link}</pre>
          </details>
        )}
      </div>
    </div>
  );
}

const commands: Readonly<Partial<Record<EnrollmentDetail['method'], (file: string) => string>>> = {
  ott: (file) => `edge enroll ${file}`,
  ottca: (file) => `edge enroll ${file} --cert device.pem --key device.key`,
  updb: (file) => `edge enroll ${file} --password-stdin`,
};

interface HandOverCodeProps {
  readonly what: 'JWT' | 'link';
  readonly text: string;
}

function HandOverCode({ what, text }: HandOverCodeProps) {
  if (text.length > maxQrCode) return <p className="soft">The {what} is too long for a QR code.</p>;
  return (
    <div className="jwt-code">
      <QrCode text={text} label={`QR code of the ${what}`} />
    </div>
  );
}
