import type { ReactNode } from 'react';
import type { FormProps as AriaFormProps } from 'react-aria-components';
import { Form as AriaForm } from 'react-aria-components';
import { useUnsavedInput } from './unsaved-input.ts';

/** `validationBehavior="aria"`: what the controller has refused may be sent again, and its reason stays at the field. */
interface FormProps extends Pick<AriaFormProps, 'validationBehavior'> {
  /** Default: `stack`. */
  readonly className?: string;
  /** Gets what was typed, by the names of the fields. */
  readonly onSubmit: (data: FormData) => void;
  /** A person has given something, which a dialog does not drop without a question. */
  readonly isUnsaved?: boolean;
  readonly children: ReactNode;
}

/** A form that this page answers: the browser sends nothing. It is not answered while a picker has text that is not chosen. */
export function Form({ className = 'stack', onSubmit, isUnsaved = false, ...props }: FormProps) {
  useUnsavedInput(isUnsaved);
  return (
    <AriaForm
      {...props}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        const unchosen = event.currentTarget.querySelector<HTMLElement>('[data-unchosen] input');
        if (unchosen) unchosen.focus();
        else onSubmit(new FormData(event.currentTarget));
      }}
    />
  );
}
