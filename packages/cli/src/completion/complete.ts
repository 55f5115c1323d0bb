import type { Argument, Command, Option } from 'commander';
import { createProgram } from '../commands/program.ts';
import { sourceOf } from '../input/completion-source.ts';
import { print } from '../output/terminal.ts';
import { entityNames } from './entity-names.ts';

/** Prints what may stand in place of the last word: a value on each line, and after a tab what it is. */
export async function printCandidates(words: readonly string[]): Promise<void> {
  for (const { value, about } of await complete(words)) {
    print(about ? `${value}\t${about.replace(/\s+/g, ' ')}` : value);
  }
}

/** A value that the shell offers, and what it is. */
interface Candidate {
  readonly value: string;
  readonly about?: string;
}

/** What may stand in place of the last word. */
async function complete(words: readonly string[]): Promise<Candidate[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const program = await createProgram(before, '');
  const place = placeOf(program, before);
  const candidates = await candidatesOf(place, current, before);
  return candidates.filter(({ value }) => value.startsWith(current));
}

interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option: Option | null;
  /** How many arguments stand before. */
  readonly position: number;
}

function placeOf(program: Command, before: readonly string[]): Place {
  let place: Place = { command: program, option: null, position: 0 };
  for (const word of before) place = next(place, word);
  return place;
}

function next({ command, option, position }: Place, word: string): Place {
  if (option !== null) return { command, option: null, position };
  if (word.startsWith('-') && word !== '-') {
    const found = command.options.find(({ long, short }) => word === long || word === short);
    return { command, option: found?.required ? found : null, position };
  }
  const sub = command.commands.find((one) => one.name() === word);
  return sub === undefined
    ? { command, option: null, position: position + 1 }
    : { command: sub, option: null, position: 0 };
}

async function candidatesOf({ command, option, position }: Place, current: string, before: readonly string[]) {
  if (option !== null) return valuesOf(option, current, before);
  if (current.startsWith('-')) return optionsOf(command);
  if (command.commands.length > 0) return commandsOf(command);
  const { registeredArguments: all } = command;
  const argument = all[position] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  return argument === undefined ? [] : valuesOf(argument, current, before);
}

function optionsOf(command: Command): Candidate[] {
  const visible = command.options.filter(({ hidden, long }) => !hidden && long);
  return [
    ...visible.map(({ long, description }) => ({ value: String(long), about: description })),
    { value: '--help' },
  ];
}

function commandsOf(command: Command): Candidate[] {
  const visible = command.createHelp().visibleCommands(command);
  return visible.map((one) => ({ value: one.name(), about: one.summary() || one.description() }));
}

async function valuesOf(target: Option | Argument, current: string, before: readonly string[]): Promise<Candidate[]> {
  const { to, isRole, api, values = target.argChoices ?? [] } = sourceOf(target);
  if ('long' in target && target.long === '--profile') {
    const { listProfiles } = await import('../profiles/profiles.ts');
    return (await listProfiles()).map((value) => ({ value }));
  }
  if (to === undefined) return values.map((value) => ({ value }));
  // Of a list with commas, the last one is completed.
  const last = current.split(',').at(-1) ?? '';
  const head = current.slice(0, current.length - last.length);
  const found = [...(isRole ? ['#all'] : []), ...(await entityNames(to, last, { api, profile: profileIn(before) }))];
  return found.map((value) => ({ value: head + value }));
}

function profileIn(words: readonly string[]): string | undefined {
  const at = words.findIndex((word) => word === '--profile' || word === '-p');
  return at < 0 ? undefined : words[at + 1];
}
