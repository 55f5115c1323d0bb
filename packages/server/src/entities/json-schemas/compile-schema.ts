import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Patterns } from './patterns.ts';

/** Returns the first fault of some data, or `null`. */
export type SchemaCheck = (data: unknown) => DataFault | null;

export interface DataFault {
  /** Dotted path of the member: `ports.0.low`, or `(root)`. */
  readonly path: string;
  readonly message: string;
}

const draft = 'http://json-schema.org/draft-07/schema#';
// Unknown keywords and formats are ignored, as JSON schema wants it.
const lenient = { strict: false, logger: false } as const;
let drafts: Ajv | undefined;

/** Compiles the draft itself, once. Nobody may stop it half-way: no schema could be compiled from then on. */
export function prepareDraft(): Ajv {
  if (drafts) return drafts;
  drafts = new Ajv(lenient);
  drafts.getSchema(draft);
  return drafts;
}

/**
 * Compiles a schema of draft 7. When it may be stopped, `prepareDraft` comes first.
 *
 * @throws Error that says what is wrong with the schema
 */
export function compileSchema(schema: object): SchemaCheck {
  const ofDraft = prepareDraft();
  if (!ofDraft.validate(draft, schema)) throw new Error(ofDraft.errorsText(ofDraft.errors, { dataVar: 'schema' }));
  // An instance for each schema: none can refer to another one, or take its `$id`.
  const patterns = new Patterns();
  const ajv = new Ajv({
    ...lenient,
    meta: false,
    validateSchema: false,
    ownProperties: true,
    inlineRefs: false,
    // Its time grows with the square of the members, and what it saves is little.
    code: { regExp: Object.assign((pattern: string) => patterns.use(pattern), { code: '' }), optimize: false },
  });
  addFormats.default(ajv);
  const validate = ajv.compile(schema);
  patterns.forget();
  return (data) => {
    const isValid = validate(data) === true;
    patterns.forget();
    if (isValid) return null;
    const [first] = validate.errors ?? [];
    const path = first?.instancePath.slice(1).split('/').map(plainSegment).join('.') || '(root)';
    const extra: unknown = first?.params.additionalProperty;
    return { path, message: `${first?.message ?? 'is not valid'}${extra === undefined ? '' : `: ${String(extra)}`}` };
  };
}

/** A segment of a JSON pointer without its escapes. */
function plainSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
