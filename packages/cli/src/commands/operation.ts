import type { ApiName, Field, OperationEntry, ResourceEntry } from '@edge-controller/operation-tables';
import type { GivenOptions } from '../input/given-options.ts';
import { kebabCase } from '../lib/option-name.ts';

/** An operation of the tree with all that its command needs. */
export interface OperationCommand {
  readonly api: ApiName;
  readonly resource: string;
  readonly verb: string;
  readonly operation: OperationEntry;
  readonly entry: ResourceEntry;
  /** The members of the body. */
  readonly fields: readonly Field[];
}

/** What was given to a command. */
export interface GivenToOperation {
  /** The parts of the path; for an operation that takes several ids, the ids. */
  readonly args: readonly string[];
  readonly query: GivenOptions;
  readonly headers: GivenOptions;
  readonly body: GivenOptions;
  readonly options: Readonly<Record<string, unknown>>;
}

/** `edge login` is the command of this operation: the SDK keeps the session that it opens. */
export function isSignIn(resource: string, verb: string): boolean {
  return resource === 'authentication' && verb === 'authenticate';
}

/** The command of an operation without its arguments: `edge client services list`. */
export function commandLineOf({ api, resource, verb }: Pick<OperationCommand, 'api' | 'resource' | 'verb'>): string {
  return ['edge', ...(api === 'client' ? ['client'] : []), kebabCase(resource), kebabCase(verb)].join(' ');
}

/** Whether an operation takes several ids: it needs nothing else, and has no result to show. */
export function takesManyIds({ params = [], body, query, headers, result }: OperationEntry): boolean {
  return (
    params.length === 1 && result === 'empty' && body === undefined && query === undefined && headers === undefined
  );
}
