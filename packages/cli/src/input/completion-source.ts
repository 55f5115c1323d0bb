import type { ApiName } from '@edge-controller/operation-tables';

/** Where the values of an option or an argument come from. */
export interface CompletionSource {
  /** The resource whose entities it names. */
  readonly to?: string;
  /** The API of the command. Default: the Management API. */
  readonly api?: ApiName;
  /** A role of a policy: `@name`, `#all`. */
  readonly isRole?: boolean;
  readonly values?: readonly string[];
}

const sources = new WeakMap<object, CompletionSource>();

/** Says what completes an option or an argument of Commander. */
export function completeWith(target: object, source: CompletionSource): void {
  sources.set(target, source);
}

export function sourceOf(target: object): CompletionSource {
  return sources.get(target) ?? {};
}
