import type { Access, DocumentType, Method, Result } from '@edge-controller/shared-types';

/** The facts about one operation that the SDK needs at run time. Generated from the API trees. */
export interface OperationRow {
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  readonly result: Result;
  /** The preferred type of a document. */
  readonly produces?: DocumentType;
  readonly query?: true;
  readonly headers?: true;
  readonly body?: true;
}

/** The operations of one API: resource → verb → operation. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationRow>>>>;
