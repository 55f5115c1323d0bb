import { z } from 'zod';

/** The schema of one object, whose values have the types of several. */
export interface ObjectOfKinds<Value = unknown> extends z.ZodType<Value> {
  readonly shape: z.core.$ZodLooseShape;
}

const kindsBySchema = new WeakMap<z.ZodType, readonly z.ZodObject[]>();

/**
 * A schema of objects of several kinds. A member with a fixed value in each kind distinguishes them. The type of a value
 * is a union. The schema itself is one object, because OpenAPI 2.0 knows no unions: what a kind does not have is optional.
 */
export function ofKinds<K extends readonly z.ZodObject[]>(...kinds: K): ObjectOfKinds<z.output<K[number]>> {
  const names = new Set(kinds.flatMap(({ shape }) => Object.keys(shape)));
  const members = [...names].map((name) => [
    name,
    merged(kinds.map(({ shape }) => shape[name] as z.ZodType | undefined)),
  ]);
  const schema = z.object(Object.fromEntries(members)).superRefine((value, { issues }) => {
    issues.push(...missingIn(kinds, value));
  });
  kindsBySchema.set(schema, kinds);
  return schema as unknown as ObjectOfKinds<z.output<K[number]>>;
}

/** What is wrong with a value of one of the kinds: members that this kind needs. */
function missingIn(kinds: readonly z.ZodObject[], value: object): z.core.$ZodRawIssue[] {
  const members = new Map(Object.entries(value));
  const kind = kinds.find(({ shape }) =>
    Object.entries(shape).every(
      ([name, member]) => !(member instanceof z.ZodEnum) || member.safeParse(members.get(name)).success,
    ),
  );
  const result = kind?.safeParse(value);
  return (result?.error?.issues ?? []).map((issue) => ({ ...issue, input: undefined }));
}

/** The kinds of a schema that `ofKinds` made, for whoever prints types. */
export function kindsOf(schema: object): readonly z.ZodObject[] | undefined {
  return kindsBySchema.get(schema as z.ZodType);
}

function merged(members: readonly (z.ZodType | undefined)[]): z.ZodType {
  const present = members.filter((member) => member !== undefined);
  const [first] = present;
  if (first === undefined) throw new Error('a member of no kind');
  const enums = present.filter((member) => member instanceof z.ZodEnum);
  const schema = enums.length < present.length ? first : z.enum(enums.flatMap(({ options }) => options as string[]));
  const isOptional = present.length < members.length || present.some((member) => member instanceof z.ZodOptional);
  return isOptional && !(schema instanceof z.ZodOptional) ? schema.optional() : schema;
}
