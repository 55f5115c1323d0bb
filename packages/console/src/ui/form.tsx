import type { ReactNode } from 'react';
import type { FormProps as AriaFormProps } from 'react-aria-components';
import { Form as AriaForm } from 'react-aria-components';

/** `validationBehavior="aria"`: what the controller has refused may be sent again, and its reason stays at the field. */
interface FormProps extends Pick<AriaFormProps, 'validationBehavior'> {
  /** Default: `stack`. */
  readonly className?: string;
  /** Gets what was typed, by the names of the fields. */
  readonly onSubmit: (data: FormData) => void;
  readonly children: ReactNode;
}

/** A form that this page answers: the browser sends nothing. */
export function Form({ className = 'stack', onSubmit, ...props }: FormProps) {
  return (
    <AriaForm
      {...props}
      className={className}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(new FormData(event.currentTarget));
      }}
    />
  );
}
