import type { ComponentType } from 'react';
import { lazy } from 'react';

/** A part of a page whose code is loaded when it is shown for the first time. It suspends until then. */
export function lazyPart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy(async () => ({ default: await load() }));
}
