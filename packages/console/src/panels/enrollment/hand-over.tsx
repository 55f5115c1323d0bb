import { qrSvg } from '@edge-controller/sdk/qr';
import { useMemo } from 'react';
import { momentText } from '../../api/moments.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { DownloadButton } from '../../ui/download-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import type { EnrollmentDetail } from './enrollment-facts.ts';
import { enrollmentLink } from './enrollment-link.ts';
import './enrollment.css';

interface HandOverProps {
  readonly enrollment: EnrollmentDetail;
  /** Name of whoever enrolls. The file is called after it. */
  readonly name: string;
}

/** The JWT of an enrollment in every form in which a device may take it. */
export function HandOver({ enrollment, name }: HandOverProps) {
  const { expiresAt, jwt, method } = enrollment;
  if (jwt === '') return <Notice>Only somebody who may create enrollments sees the JWT.</Notice>;
  const link = enrollmentLink(enrollment);
  const fileName = `${name.replaceAll(/[^\w.-]+/g, '-')}.jwt`;
  return (
    <div className="hand-over">
      <QrCode text={jwt} />
      <div className="stack">
        <p>
          Whoever has this JWT can enroll as <strong>{name}</strong>, once, until{' '}
          <strong>{momentText(expiresAt)}</strong>.
        </p>
        <div className="row">
          <DownloadButton label={`Download ${fileName}`} fileName={fileName} text={`${jwt}\n`} />
          <CopyButton label="Copy JWT" text={jwt} />
          {link && <CopyButton label="Copy link" text={link} />}
        </div>
        {commands[method] && (
          <>
            <h3>On the device</h3>
            <CodeBlock label="command" text={commands[method](fileName)} />
          </>
        )}
        <details>
          <summary>Show the JWT as text</summary>
          <pre className="jwt">{jwt}</pre>
        </details>
        {link && (
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

function QrCode({ text }: { readonly text: string }) {
  const source = useMemo(() => drawQrCode(text), [text]);
  if (source === null) return <p className="soft">The JWT is too long for a QR code.</p>;
  return <img className="qr-code" src={source} alt="QR code of the JWT" />;
}

/** An image, or `null` when the text is too long. */
function drawQrCode(text: string): string | null {
  try {
    return `data:image/svg+xml,${encodeURIComponent(qrSvg(text))}`;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
