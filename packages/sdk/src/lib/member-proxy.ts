/** An object that makes its members when they are first read, and keeps them. */
export function memberProxy<M>(make: (name: string) => M): Record<string, M> {
  return new Proxy<Record<string, M>>(
    {},
    {
      get(made, name) {
        // `await` asks for `then`, and `JSON.stringify` for `toJSON`.
        if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
        made[name] ??= make(name);
        return made[name];
      },
    },
  );
}
