import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

type State = Readonly<Record<string, unknown>>;

/** Characters of a value in JSON. Of a longer one the log has the SHA-256. */
const maxLength = 16_384;

interface Change {
  readonly initialState: object | null;
  readonly finalState: object | null;
}

/** The states of an entity as an entry has them: of a change, the fields that differ. */
export function shownChange({ initialState, finalState }: Change) {
  const [before, after] = [initialState as State | null, finalState as State | null];
  if (before === null || after === null) return { before: before && shown(before), after: after && shown(after) };
  const differing = Object.keys({ ...before, ...after }).filter(
    (name) => name !== 'updatedAt' && !isDeepStrictEqual(before[name], after[name]),
  );
  const only = (state: State) => Object.fromEntries(differing.map((name) => [name, state[name] ?? null]));
  return { before: shown(only(before)), after: shown(only(after)) };
}

function shown(state: State): State {
  return Object.fromEntries(Object.entries(state).map(([name, value]) => [name, bounded(value)]));
}

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? 'null';
  return text.length <= maxLength ? value : { sha256: hash('sha256', text), characters: text.length };
}
