import type { ApiError } from '../core/api-error.ts';
import { invalidField } from '../core/api-error.ts';

/** The error of some entities for a value that must be unique. `store` is the collection. */
export function duplicateValue(field: string, store: string) {
  return (value: string): ApiError =>
    invalidField(field, `duplicate value '${value}' in unique index on ${store} store`, value);
}
