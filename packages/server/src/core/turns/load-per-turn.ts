import { setImmediate } from 'node:timers';

/**
 * Returns a function that collects the keys of one event-loop turn and loads them together. Every call gets a value that is
 * read after the call. `context` comes from the first call of the turn.
 */
export function loadPerTurn<Context, Value>(
  load: (context: Context, keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (context: Context, key: string) => Promise<Value | undefined> {
  let turn: { readonly keys: Set<string>; readonly values: Promise<ReadonlyMap<string, Value>> } | null = null;

  const start = (context: Context) => {
    const keys = new Set<string>();
    const values = new Promise<ReadonlyMap<string, Value>>((resolve) => {
      setImmediate(() => {
        turn = null;
        resolve(load(context, [...keys]));
      });
    });
    return { keys, values };
  };

  return async (context, key) => {
    turn ??= start(context);
    turn.keys.add(key);
    return (await turn.values).get(key);
  };
}
