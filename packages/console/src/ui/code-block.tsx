import { CopyButton } from './copy-button.tsx';

interface CodeBlockProps {
  /** What it is: `Commands`. It names the text and the button. */
  readonly label: string;
  readonly text: string;
}

/** A text that a person copies: commands, tokens. */
export function CodeBlock({ label, text }: CodeBlockProps) {
  return (
    <figure className="code-block" aria-label={label}>
      <pre>{text}</pre>
      <CopyButton label={`Copy ${label}`} text={text} />
    </figure>
  );
}
