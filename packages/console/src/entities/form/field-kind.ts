import type { Field } from '@edge-controller/operation-tables';

/** Which control a field has. */
export type FieldKind =
  | 'group'
  | 'boolean'
  | 'number'
  | 'date'
  | 'secret'
  | 'long-text'
  | 'text'
  | 'choice'
  | 'reference'
  | 'list'
  | 'entries'
  | 'map'
  | 'schema'
  | 'json';

/** The control of a field among all fields of its form. An object whose members are fields too is a group. */
export function kindOf(field: Field, fields: readonly Field[]): FieldKind {
  const { name, type } = field;
  if (field.schema) return 'schema';
  if (field.items) return 'entries';
  if (type === 'object') return fields.some((other) => other.name.startsWith(`${name}.`)) ? 'group' : 'json';
  if (type === 'json' || type === 'map') return type;
  if (field.isList) return 'list';
  if (type === 'boolean') return 'boolean';
  if (field.values) return 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  return kindOfText(field);
}

function kindOfText({ name, to, about = '' }: Field): FieldKind {
  if (to) return 'reference';
  if (isSecretName(name)) return 'secret';
  if (about.includes('RFC 3339')) return 'date';
  return /pem$|csr$/i.test(name) ? 'long-text' : 'text';
}

/** Whether a member is a secret by its name. No page shows it. */
export function isSecretName(name: string): boolean {
  return /(password|token|secret|jwt|(^|\.|-)code)$/i.test(name);
}
