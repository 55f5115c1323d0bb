import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface DownloadButtonProps {
  /** Name of the file. */
  readonly name: string;
  readonly text: string;
  readonly type?: string;
  readonly children: ReactNode;
}

/** Gives a text to the person as a file. */
export function DownloadButton({ name, text, type = 'text/plain', children }: DownloadButtonProps) {
  function download(): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  return <Button onPress={download}>{children}</Button>;
}
