import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from './button.tsx';

interface CopyButtonProps {
  readonly text: string;
  readonly children?: ReactNode;
}

/** Copies a text, and says whether it did. */
export function CopyButton({ text, children = 'Copy' }: CopyButtonProps) {
  const [outcome, setOutcome] = useState('');

  async function copy(): Promise<void> {
    setOutcome('');
    await navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied.'),
      () => setOutcome('The browser does not let this page copy.'),
    );
  }

  return (
    <span className="row">
      <Button onPress={() => void copy()}>{children}</Button>
      <span role="status" className="soft">
        {outcome}
      </span>
    </span>
  );
}
