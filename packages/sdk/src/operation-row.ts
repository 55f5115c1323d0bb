import type { Access, Answer, Method } from '@edge-controller/shared-types';

/** What the SDK needs to know about one operation at run time. Made from the API trees. */
export interface OperationRow {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly answer: Answer;
  readonly query?: true;
  readonly headers?: true;
  readonly body?: true;
}

/** resource → verb → operation of one API. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationRow>>>>;
