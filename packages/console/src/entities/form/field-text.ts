import type { Field } from '@edge-controller/operation-tables';

/** A text of the contract without its marks for code. */
export function plainText(about: string | undefined): string | undefined {
  return about?.replaceAll('`', '');
}

/** What stands below the control of a field. */
export function descriptionOf({ about, ifEmpty }: Field): string | undefined {
  const text = plainText(about);
  return ifEmpty === undefined ? text : [text, `Empty: ${ifEmpty}.`].filter(Boolean).join(' ');
}

/** Whether a person must give a value. */
export function isNeeded({ isRequired, ifEmpty }: Field): boolean {
  return isRequired === true && ifEmpty === undefined;
}
