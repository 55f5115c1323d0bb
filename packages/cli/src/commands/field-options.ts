import type { ApiName, Field } from '@edge-controller/operation-tables';
import type { Command } from 'commander';
import { Option } from 'commander';
import { usageError } from '../errors/cli-error.ts';
import { completeWith } from '../input/completion-source.ts';
import type { GivenOptions } from '../input/given-options.ts';
import { isSecret, kebabCase } from '../lib/option-name.ts';

interface FieldGroup {
  readonly group: string;
  readonly api: ApiName;
  /** Whether a list that is given stands for all entries that there were. */
  readonly replacesLists?: boolean;
}

type Given = boolean | readonly string[];

/** Adds the options of the members of a body, of a query or of headers. Returns a function that says which were given. */
export function addFieldOptions(
  command: Command,
  fields: readonly Field[],
  { group, api, replacesLists = false }: FieldGroup,
): () => Omit<GivenOptions, 'body'> {
  const given = new Map<string, Given>();
  const secrets = new Set<string>();
  for (const field of fields) {
    const about = [descriptionOf(field), replacesLists && field.isList ? 'Replaces the whole list.' : '']
      .filter(Boolean)
      .join(' ');
    if (isSecret(field)) {
      const flag = `--${kebabCase(field.name)}-stdin`;
      add(`${flag}`, `${about}${about && '; '}reads a line of the standard input`, () => secrets.add(field.name));
      continue;
    }
    const flag = kebabCase(field.name);
    if (field.type === 'boolean') addBoolean(field, flag, about);
    else {
      const option = add(`--${flag} <${placeholderOf(field)}>`, about, (text) =>
        given.set(field.name, [...listOf(given.get(field.name)), String(text)]),
      );
      const { to, set, values } = field;
      completeWith(option, {
        api,
        isRole: set === 'roles',
        ...(to !== undefined && { to }),
        ...(values && { values }),
      });
    }
  }
  return () => ({ fields: given, secrets });

  function add(flags: string, about: string, onGiven: (text: unknown) => unknown): Option {
    const option = new Option(flags, about).helpGroup(group);
    command.addOption(option);
    command.on(`option:${option.name()}`, onGiven);
    return option;
  }

  /** `--no-traversal` is the member `noTraversal`, and not the opposite of `traversal`. */
  function addBoolean({ name }: Field, flag: string, about: string): void {
    const plain = flag.replace(/^no-/, '');
    add(`--${plain}`, plain === flag ? about : `the opposite of --${flag}`, () => given.set(name, plain === flag));
    add(`--no-${plain}`, plain === flag ? '' : about, () => given.set(name, plain !== flag));
  }
}

const listOf = (value: Given | undefined): readonly string[] => (Array.isArray(value) ? value : []);

function descriptionOf({ about = '', values, isRequired }: Field): string {
  const allowed = values === undefined ? '' : values.length > 12 ? '' : values.join(', ');
  const text = [about.replace(/\s+/g, ' '), allowed].filter(Boolean).join(' ');
  return isRequired ? `${text}${text && ' '}(required)` : text;
}

function placeholderOf({ type, isList, isTime, to, values }: Field): string {
  if (type === 'map') return 'key=value';
  if (type === 'object' || type === 'json') return 'json';
  const one = to !== undefined ? 'id' : values !== undefined ? 'value' : isTime ? 'time' : type;
  return isList ? `${one},…` : one;
}

/** Ids on the command line: each as it stands, or for `-` the lines of the standard input. */
export async function expandIds(ids: readonly string[]): Promise<string[]> {
  if (!ids.includes('-')) return [...ids];
  const { readStandardInput } = await import('../input/standard-input.ts');
  const lines = (await readStandardInput('the argument -')).split(/\r?\n/).filter((line) => line !== '');
  if (lines.length === 0 && ids.length === 1) throw usageError('the standard input has no ids');
  return ids.flatMap((id) => (id === '-' ? lines : [id]));
}
