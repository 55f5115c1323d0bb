import type { Middleware } from '../request-state.ts';

/** A middleware that is made of a setting, and made anew when the setting has another value. */
export function fromSetting<Value>(read: () => Value, create: (value: Value) => Middleware): Middleware {
  let builtOf = read();
  let middleware = create(builtOf);
  return (ctx, next) => {
    const value = read();
    if (value !== builtOf) {
      builtOf = value;
      middleware = create(value);
    }
    return middleware(ctx, next);
  };
}
