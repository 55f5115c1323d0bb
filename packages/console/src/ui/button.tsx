import type { ReactNode, Ref } from 'react';
import type { ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Button as AriaButton } from 'react-aria-components';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'children' | 'style'> {
  /** `primary`: what most people came for, once on a page. `danger`: what cannot be undone. */
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly ref?: Ref<HTMLButtonElement>;
  readonly children: ReactNode;
}

export function Button({ kind, children, ...props }: ButtonProps) {
  return (
    <AriaButton {...props} className={kind === undefined ? 'button' : `button ${kind}`}>
      {children}
    </AriaButton>
  );
}
