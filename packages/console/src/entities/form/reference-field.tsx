import type { FieldProps } from './field-props.ts';
import { ReferenceBox } from './reference-box.tsx';

/** The id of another entity. */
export function ReferenceField({ field, resource: _, draft, ...props }: FieldProps) {
  return <ReferenceBox {...props} to={field.to} id={typeof draft === 'string' ? draft : ''} />;
}
