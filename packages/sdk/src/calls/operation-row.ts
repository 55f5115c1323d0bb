/** The facts about one operation that the SDK needs at run time. Generated from the API trees. */
export interface OperationRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** The sessions that may call it: any or none, a partial one, a full one. Some also need a permission. */
  readonly access: 'anyone' | 'partial' | 'full';
  /** The form of the response. `detail`: whatever is in `data`. A `document` has no envelope. */
  readonly result: 'detail' | 'list' | 'empty' | 'document';
  /** The preferred type of a document. */
  readonly produces?: string | undefined;
  readonly query?: boolean;
  readonly headers?: boolean;
  readonly body?: boolean;
}

/** The operations of one API: resource → verb → operation. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, OperationRow>>>>;
