/** `roleAttributes` → `role-attributes`, `primary.updb.allowed` → `primary.updb.allowed`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The option of a member of a body: `--role-attributes`. */
export function optionOf(field: string): string {
  return `--${kebabCase(field.replace(/^\//, '').replaceAll('/', '.'))}`;
}

/** Whether a member is a secret. A secret is never an option, because other users of the machine could read it. */
export function isSecret({ name, type, values }: { name: string; type: string; values?: readonly string[] }): boolean {
  return type === 'text' && values === undefined && /(password|token|secret|(^|\.|-)code)$/i.test(name);
}
