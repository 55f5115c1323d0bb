import { qrSvg } from '@edge-controller/sdk/qr';
import { useMemo } from 'react';
import './qr-code.css';

interface QrCodeProps {
  /** At most 2331 bytes of UTF-8. */
  readonly text: string;
  readonly label: string;
}

/** Dark on light in both themes, because scanners need it. */
export function QrCode({ text, label }: QrCodeProps) {
  const image = useMemo(() => `data:image/svg+xml,${encodeURIComponent(qrSvg(text))}`, [text]);
  return <img className="qr-code" src={image} alt={label} width="200" height="200" />;
}
