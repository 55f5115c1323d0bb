import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';

/** Returns the first fault of some data, or `null`. */
export type Check = (data: unknown) => DataFault | null;

export interface DataFault {
  /** Dotted path of the member: `ports.0.low`, or `(root)`. */
  readonly path: string;
  readonly message: string;
}

const draft = 'http://json-schema.org/draft-07/schema#';
// Unknown keywords and formats are ignored, as JSON schema wants it.
const lenient = { strict: false, logger: false } as const;
let drafts: Ajv | undefined;

/**
 * Compiles a schema of draft 7. Regular expressions have the syntax of RE2: they take linear time, and mean the same in every
 * controller of the network.
 *
 * @throws Error that says what is wrong with the schema
 */
export function compileSchema(schema: object): Check {
  drafts ??= new Ajv(lenient);
  if (!drafts.validate(draft, schema)) throw new Error(drafts.errorsText(drafts.errors, { dataVar: 'schema' }));
  // An instance for each schema: none can refer to another one, or take its `$id`.
  const ajv = new Ajv({
    ...lenient,
    meta: false,
    validateSchema: false,
    ownProperties: true,
    inlineRefs: false,
    // Its time grows with the square of the members, and what it saves is little.
    code: { regExp, optimize: false },
  });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  return (data) => {
    if (validate(data) === true) return null;
    const [first] = validate.errors ?? [];
    const path = first?.instancePath.slice(1).split('/').map(plainSegment).join('.') || '(root)';
    const extra: unknown = first?.params.additionalProperty;
    return { path, message: `${first?.message ?? 'is not valid'}${extra === undefined ? '' : `: ${String(extra)}`}` };
  };
}

/** The library tells patterns apart by `toString`, which is the pattern here. */
function regExp(pattern: string): RE2JS {
  return RE2JS.compile(pattern);
}
regExp.code = 'RE2JS.compile';

/** A segment of a JSON pointer without its escapes. */
function plainSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
