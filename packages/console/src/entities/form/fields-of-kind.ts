import type { Field } from '@edge-controller/operation-tables';
import type { Drafts } from './draft.ts';

/** The fields that objects of the chosen kind have. */
export function fieldsOfKind(fields: readonly Field[], drafts: Drafts): readonly Field[] {
  return fields.flatMap((field) => {
    const { kinds } = field;
    if (kinds === undefined) return [field];
    const kind = String(drafts[kinds.by]);
    if (!kinds.names.includes(kind)) return [];
    return [kinds.neededBy?.includes(kind) ? { ...field, isRequired: true } : field];
  });
}
