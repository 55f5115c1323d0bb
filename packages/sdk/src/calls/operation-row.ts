/** The facts about one operation that the SDK needs at run time. Generated from the API trees. */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The sessions that may call it: any or none, a partial one, a full one, one with a permission. */
  readonly access: 'anyone' | 'partial' | 'full' | 'admin';
  /** The form of the response. A `document` has no envelope. */
  readonly result: 'detail' | 'list' | 'create' | 'created' | 'empty' | 'document';
  /** The preferred type of a document. */
  readonly produces?: `${string}/${string}`;
  readonly query?: true;
  readonly headers?: true;
  readonly body?: true;
}

/** The operations of one API: resource → verb → operation. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationRow>>>>;
