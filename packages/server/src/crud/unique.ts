import type { ApiError } from '../api-error.ts';
import { invalidField } from '../api-error.ts';

/** The error for a name that another entity of the type has. */
export function nameTaken(value: string): ApiError {
  return invalidField('name', 'name must be unique', value);
}

/** The error for another value that must be unique. `store` is the collection. */
export function duplicateValue(field: string, store: string) {
  return (value: string): ApiError =>
    invalidField(field, `duplicate value '${value}' in unique index on ${store} store`, value);
}
