import { useState } from 'react';
import './copy-icon-button.css';

interface CopyIconButtonProps {
  /** What is copied. */
  readonly text: string;
  /** What the button is called: `Copy the id of sensor-1`. */
  readonly name: string;
}

const tick = 'm2 8 4 4 8-9';
const sheets = 'M5 5h9v9H5zM2 11V2h9';

/** Milliseconds for which the button says that it has copied. */
const shownTime = 2_000;

/** Copies a text. It is a button of HTML, because a table may have a hundred of them. */
export function CopyIconButton({ text, name }: CopyIconButtonProps) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), shownTime);
  };
  return (
    <button
      type="button"
      className="copy"
      aria-label={isCopied ? 'Copied' : name}
      onClick={() => void copy().catch(() => null)}
    >
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={isCopied ? tick : sheets} />
      </svg>
    </button>
  );
}
