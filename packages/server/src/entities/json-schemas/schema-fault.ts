/** Levels of objects and arrays in a schema. */
const maxDepth = 32;
/** Members and elements of all objects and arrays of a schema. */
const maxMembers = 2_000;
/** Characters of a regular expression. */
const maxPattern = 500;

/** Says what makes a schema too costly or refers to something outside of it, or `null`. It compiles nothing. */
export function schemaFault(schema: object): string | null {
  if ('$async' in schema) return '$async is not supported';
  let members = 0;
  let level: readonly object[] = [schema];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > maxDepth) return `it has more than ${maxDepth} levels`;
    const next: object[] = [];
    for (const part of level) {
      const fault = partFault(part);
      if (fault !== null) return fault;
      const values: unknown[] = Object.values(part);
      members += values.length;
      if (members > maxMembers) return `it has more than ${maxMembers} members`;
      next.push(...values.filter((value) => typeof value === 'object' && value !== null));
    }
    level = next;
  }
  return null;
}

/** Any object may be a schema, also where it is only a value: nothing then depends on where keywords may stand. */
function partFault(part: object): string | null {
  const { $ref, pattern, patternProperties } = part as Readonly<Record<string, unknown>>;
  if (typeof $ref === 'string' && !$ref.startsWith('#')) return `$ref must begin with #: ${$ref}`;
  const patterns = [pattern, ...(isObject(patternProperties) ? Object.keys(patternProperties) : [])];
  const isLong = patterns.some((text) => typeof text === 'string' && text.length > maxPattern);
  return isLong ? `a pattern has more than ${maxPattern} characters` : null;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
