/** A schema of OpenAPI 2.0, with the members that are compared. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  /** The member whose value says which definition of those that extend this one describes an object. */
  readonly discriminator?: string;
  readonly 'x-nullable'?: boolean;
}

export type Definitions = Readonly<Record<string, Schema>>;

/** What is compared of an operation. An empty schema stands for anything, or for no body. */
export interface OperationDigest {
  /** The types of the query parameters. */
  readonly query: Readonly<Record<string, string>>;
  readonly body?: Schema;
  /** The status of a success. */
  readonly status: string;
  readonly response: Schema;
}

/** What is compared of the OpenAPI document of an API: names and types, without descriptions, examples and bounds. */
export interface Digest {
  /** By method and path: `GET /identities/{id}`. */
  readonly operations: Readonly<Record<string, OperationDigest>>;
  readonly definitions: Definitions;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly type?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface PathItem extends Readonly<Record<string, Operation | readonly Parameter[] | undefined>> {
  readonly parameters?: readonly Parameter[];
}

/** An OpenAPI 2.0 document. */
export interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly definitions: Definitions;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const keptMembers = ['$ref', 'type', 'format', 'enum', 'required', 'discriminator', 'x-nullable'];

/** Returns what is compared of a document. */
export function digestOf({ paths, definitions }: Document): Digest {
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Operation | undefined;
      if (!operation) return [];
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])];
      return [[`${method.toUpperCase()} ${path}`, digestOfOperation(operation, parameters)] as const];
    }),
  );
  return { operations: Object.fromEntries(operations), definitions: mapValues(definitions, bare) };
}

function digestOfOperation({ responses }: Operation, parameters: readonly Parameter[]): OperationDigest {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const body = parameters.find((parameter) => parameter.in === 'body')?.schema;
  const [status = '', response = {}] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  return {
    query: Object.fromEntries(query.map(({ name, type = 'any' }) => [name, type])),
    ...(body && { body: bare(body) }),
    status,
    response: bare(response.schema ?? {}),
  };
}

function bare(schema: Schema): Schema {
  const { properties, items, allOf, additionalProperties: rest } = schema;
  return {
    ...Object.fromEntries(Object.entries(schema).filter(([name]) => keptMembers.includes(name))),
    ...(allOf && { allOf: allOf.map(bare) }),
    ...(properties && { properties: mapValues(properties, bare) }),
    ...(items && { items: bare(items) }),
    ...(rest !== undefined && { additionalProperties: typeof rest === 'object' ? bare(rest) : rest }),
  };
}

function mapValues<A, B>(from: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}
