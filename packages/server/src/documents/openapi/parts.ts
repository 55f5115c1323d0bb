/** A part of a document that nothing reads. */
export type Part = Readonly<Record<string, unknown>>;

/** A schema object. Only the members that are read here have types. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly $ref?: string;
  readonly [member: string]: unknown;
}

/** Media type → what a body of this type is. */
export type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** Whether a list is a parameter for each value. */
  readonly explode?: boolean;
  readonly style?: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly content: Content;
}

export interface PrintedOperation extends Part {
  readonly tags: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Part;
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly Part[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, PrintedOperation>>>>;
  readonly components: { readonly securitySchemes: Part; readonly schemas: Readonly<Record<string, Schema>> };
}
