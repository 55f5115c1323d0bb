import { useState } from 'react';
import './copy-icon-button.css';

interface CopyIconButtonProps {
  /** What is copied. */
  readonly text: string;
  /** What the button is called: `Copy the id of sensor-1`. */
  readonly name: string;
}

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
      <span aria-hidden="true">{isCopied ? '✓' : '⧉'}</span>
    </button>
  );
}
