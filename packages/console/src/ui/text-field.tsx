import type { HTMLInputTypeAttribute } from 'react';
import type { TextFieldProps as AriaTextFieldProps } from 'react-aria-components';
import { TextField as AriaTextField, FieldError, Input, Label, Text, TextArea } from 'react-aria-components';

export interface TextFieldProps extends Omit<AriaTextFieldProps, 'className' | 'children' | 'style' | 'isInvalid'> {
  readonly label: string;
  readonly description?: string | undefined;
  /** What is wrong with the value. */
  readonly error?: string | undefined;
  readonly type?: HTMLInputTypeAttribute;
  /** Lines of a text with more than one. */
  readonly rows?: number;
  readonly placeholder?: string;
}

export function TextField({ label, description, error, rows, placeholder, ...props }: TextFieldProps) {
  const hint = placeholder === undefined ? {} : { placeholder };
  return (
    <AriaTextField {...props} className="field" isInvalid={error !== undefined}>
      <Label>{label}</Label>
      {rows === undefined ? <Input {...hint} /> : <TextArea rows={rows} {...hint} />}
      {description && (
        <Text slot="description" className="description">
          {description}
        </Text>
      )}
      <FieldError className="error">{error}</FieldError>
    </AriaTextField>
  );
}
