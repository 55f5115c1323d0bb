import { useState } from 'react';
import { Button } from './button.tsx';

/** Milliseconds for which the button says that it has copied. */
const shownTime = 2_000;

interface CopyButtonProps {
  /** Such as `Copy JWT`. */
  readonly label: string;
  readonly text: string;
}

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ label, text }: CopyButtonProps) {
  const [outcome, setOutcome] = useState('');

  async function copy(): Promise<void> {
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setOutcome(isCopied ? 'Copied' : 'The browser does not allow it');
    setTimeout(() => setOutcome(''), shownTime);
  }

  return (
    <span className="row">
      <Button onPress={() => void copy()}>{label}</Button>
      <span role="status" className="soft">
        {outcome}
      </span>
    </span>
  );
}
