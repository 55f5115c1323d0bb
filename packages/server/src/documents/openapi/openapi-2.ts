import type { Content, OpenApiDocument, Parameter, Part, PrintedOperation, Response, Schema } from './parts.ts';
import { mapValues, schemaPrefix, withSchemas } from './schemas.ts';

const json = 'application/json';
const prefix = '#/definitions/';

/** Makes the OpenAPI 2.0 document of an OpenAPI 3.1 document. What 2.0 cannot say is left out. */
export function toOpenApi2({ info, servers, tags, paths, components }: OpenApiDocument): Part {
  return {
    swagger: '2.0',
    info: { ...info, license: { name: 'Apache-2.0' } },
    basePath: servers[0].url,
    schemes: ['https'],
    consumes: [json],
    produces: [json],
    tags,
    securityDefinitions: {
      ...components.securitySchemes,
      // 2.0 has no scheme for bearer tokens.
      bearer: {
        ...{ type: 'apiKey', in: 'header', name: 'Authorization' },
        description: `The word Bearer, then what follows. ${descriptionOf(components.securitySchemes.bearer)}`,
      },
    },
    paths: mapValues(paths, (operations) => mapValues(operations, toOperation)),
    definitions: mapValues(components.schemas, toSchema),
  };
}

const descriptionOf = (part: unknown) => (part as { readonly description: string }).description;

function toOperation({ requestBody, ...rest }: PrintedOperation): Part {
  const consumes = Object.keys(requestBody?.content ?? {});
  // Statuses are in ascending order, so the success is the first. Errors are always JSON.
  const [success] = Object.values(rest.responses);
  const produces = Object.keys(success?.content ?? {});
  const body = requestBody && {
    ...{ name: 'body', in: 'body', required: requestBody.required },
    schema: bodySchema(requestBody.content),
  };
  return {
    ...rest,
    parameters: [...rest.parameters.map(toParameter), ...(body ? [body] : [])],
    responses: mapValues(rest.responses, toResponse),
    ...(isOther(consumes) && { consumes }),
    ...(isOther(produces) && { produces }),
  };
}

/** Whether the types are others than those of the whole document. */
const isOther = (types: readonly string[]) => types.some((type) => type !== json);

function toParameter({ schema, style, explode, ...rest }: Parameter): Part {
  return { ...rest, ...toSchema(schema), ...(explode && { collectionFormat: 'multi' }) };
}

function toResponse({ description, content }: Response): Part {
  return { description, schema: bodySchema(content) };
}

/** 2.0 has one schema for all media types: that of the first. */
function bodySchema(content: Content): Schema {
  const [{ schema } = { schema: {} }] = Object.values(content);
  return schema.format === 'binary' ? { type: 'file' } : toSchema(schema);
}

/** 2.0 knows neither null nor unions. What stands beside a reference does not count. */
function toSchema(schema: Schema): Schema {
  const { $ref, anyOf, type, enum: values, ...rest } = withSchemas(schema, toSchema);
  if ($ref !== undefined) return { $ref: prefix + $ref.slice(schemaPrefix.length) };
  const [only] = (anyOf ?? []).filter((branch) => branch.type !== 'null');
  const [ownType, ...otherTypes] = [type ?? []].flat().filter((name) => name !== 'null');
  if (otherTypes.length > 0) throw new Error('OpenAPI 2.0 has no unions');
  return {
    ...(ownType && { type: ownType }),
    ...rest,
    ...(values && { enum: values.filter((value) => value !== null) }),
    ...(only && { allOf: [only] }),
    ...((anyOf || Array.isArray(type)) && { 'x-nullable': true }),
  };
}
