/** A member of a body, or a parameter. */
export interface Field {
  /** Where it stands: `name`, `primary.updb.allowed`. */
  readonly name: string;
  /** `object`: JSON, whose members are fields of their own. `map`: JSON, or pairs of key and value. */
  readonly type: 'text' | 'integer' | 'number' | 'boolean' | 'object' | 'map' | 'json';
  readonly isList?: true;
  /** Of a list of objects: the members that each of them has. */
  readonly items?: readonly Field[];
  /** RFC 3339. */
  readonly isTime?: true;
  readonly values?: readonly string[];
  readonly about?: string;
  readonly isRequired?: true;
  /** What a form sends when nobody has given a value. */
  readonly ifEmpty?: number;
  /** The resource whose ids it has. */
  readonly to?: string;
  /** It is accepted, but neither stored nor shown as it was sent. */
  readonly isInput?: true;
  /** What a form begins with, and what the other value means: it is less safe. */
  readonly safe?: { readonly value: boolean; readonly otherwise: string };
  /** Of a list: its order means nothing. `roles` are `#attribute`, `@id` and `#all`. */
  readonly set?: 'ids' | 'roles' | 'attributes';
  /** Of roles: the member that says whether a selected entity has all or one of their attributes. */
  readonly semantic?: string;
  readonly kinds?: FieldKinds;
  readonly schema?: FieldSchema;
}

/** The kinds of objects that have a member; the other kinds do not have it. */
export interface FieldKinds {
  /** The member whose value is the kind. */
  readonly by: string;
  readonly names: readonly string[];
  /** Kinds that a request must send it for. */
  readonly neededBy?: readonly string[];
}

/** Where the JSON schema of a member is. A request that has the member has all of it. */
export interface FieldSchema {
  /** The member with the id of the entity that has the schema. */
  readonly by: string;
  /** The resource of this entity. */
  readonly to: string;
  /** Its member. */
  readonly member: string;
}

/** A part of the path: the id of an entity. */
export interface Parameter {
  readonly name: string;
  /** The resource whose id it is. */
  readonly to?: string;
}

/** An operation of an API as plain data. */
export interface OperationEntry {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly access: 'anyone' | 'partial' | 'full' | 'admin';
  /** What somebody needs who is no administrator: `service.read`. */
  readonly permission?: string;
  readonly result: 'list' | 'detail' | 'empty' | 'document';
  readonly params?: readonly Parameter[];
  readonly query?: readonly Field[];
  readonly headers?: readonly Field[];
  /** Name of its fields in `bodies`, or `text`. */
  readonly body?: string;
  /** The body is a list of such objects. */
  readonly isBodyList?: true;
  /** What a table shows of a row. */
  readonly columns?: readonly string[];
}

/** The operations of a resource by verb. */
export interface ResourceEntry {
  readonly about: string;
  /** Its entities have names, so `@name` can stand for an id. */
  readonly hasNames?: true;
  readonly verbs: Readonly<Record<string, OperationEntry>>;
}

/** The operations of one API by resource. */
export type OperationTable = Readonly<Record<string, ResourceEntry>>;
