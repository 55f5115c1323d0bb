import type { ReactNode } from 'react';
import { useState } from 'react';
import { Group } from 'react-aria-components';
import { Button } from './button.tsx';

export interface ConfirmedAct {
  readonly label: string;
  readonly run: () => void;
}

interface InlineConfirmProps {
  /** What the button shows. */
  readonly children: ReactNode;
  /** What the button is called, when its text is the same in each row. */
  readonly name: string;
  /** What the person may choose then. */
  readonly acts: readonly ConfirmedAct[];
  readonly isDisabled?: boolean;
}

/** A button that asks in its place before it acts. */
export function InlineConfirm({ children, name, acts, isDisabled = false }: InlineConfirmProps) {
  const [isAsking, setIsAsking] = useState(false);
  const [wasAsking, setWasAsking] = useState(false);

  function close(): void {
    setIsAsking(false);
    setWasAsking(true);
  }

  if (!isAsking) {
    return (
      <Button aria-label={name} isDisabled={isDisabled} autoFocus={wasAsking} onPress={() => setIsAsking(true)}>
        {children}
      </Button>
    );
  }
  return (
    <Group className="row" aria-label={name}>
      {acts.map(({ label, run }, at) => (
        <Button
          key={label}
          kind="danger"
          autoFocus={at === 0}
          onKeyDown={({ key }) => key === 'Escape' && close()}
          onPress={() => {
            close();
            run();
          }}
        >
          {label}
        </Button>
      ))}
      <Button kind="quiet" onPress={close}>
        Keep
      </Button>
    </Group>
  );
}
