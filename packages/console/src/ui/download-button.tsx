import { Button } from './button.tsx';

interface DownloadButtonProps {
  /** Such as `Download sensor-1.jwt`. */
  readonly label: string;
  readonly fileName: string;
  readonly text: string;
}

/** Saves a text as a file. */
export function DownloadButton({ label, fileName, text }: DownloadButtonProps) {
  function download(): void {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
    link.download = fileName;
    link.click();
    URL.revokeObjectURL(link.href);
  }
  return <Button onPress={download}>{label}</Button>;
}
