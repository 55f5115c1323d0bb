import { endOfString, parseJson, Unreadable } from '../../core/text/parse-json.ts';

/**
 * Yields the entries of a JWK set (RFC 7517, section 5) as their bytes, so that a large set can be read a part at a time.
 * Between two entries it only reads each byte once. The caller checks that each entry is JSON.
 *
 * @throws Unreadable for a document that is no JWK set, after the last entry at the latest; it assumes that each entry is JSON
 */
export function* splitKeySet(document: Buffer): Generator<Buffer> {
  const begin = beginOfList(document);
  let depth = 0;
  let start = begin;
  for (let at = begin; at < document.length; at += 1) {
    const byte = document[at];
    if (byte === quote) at = endOfString(document, at);
    else if (depth === 0 && (byte === comma || byte === closeArray)) {
      const entry = document.subarray(start, at);
      const isEmptyList = byte === closeArray && start === begin && isBlank(entry);
      if (!isEmptyList) yield entry;
      if (byte === closeArray) return checkRest(document, begin, at);
      start = at + 1;
    } else if (byte === openArray || byte === openObject) depth += 1;
    else if (byte === closeArray || byte === closeObject) depth -= 1;
  }
  throw new Unreadable('the body is not valid JSON');
}

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const name = Buffer.from('"keys"');

const noKeySet = () => new Unreadable('the document has no list `keys`');

/** The index after the bracket that opens the list `keys` of the root object. */
function beginOfList(document: Buffer): number {
  let depth = 0;
  for (let at = 0; at < document.length; at += 1) {
    const byte = document[at];
    if (byte === quote) {
      const end = endOfString(document, at);
      const begin = document.subarray(at, end + 1).equals(name) ? afterBracket(document, end + 1) : null;
      if (depth === 1 && begin !== null) return begin;
      at = end;
    } else if (byte === openArray || byte === openObject) depth += 1;
    else if (byte === closeArray || byte === closeObject) depth -= 1;
  }
  // An administrator learns first that it is no JSON.
  parseJson(document);
  throw noKeySet();
}

/** The index after a colon and a bracket, which may have blanks before them. `null`: something else is there. */
function afterBracket(document: Buffer, start: number): number | null {
  const wanted = [colon, openArray];
  for (let at = start; at < document.length; at += 1) {
    const byte = document[at];
    if (byte === wanted[0]) wanted.shift();
    else if (!isSpace(byte)) return null;
    if (wanted.length === 0) return at + 1;
  }
  return null;
}

/** The document without the entries must be JSON, too. */
function checkRest(document: Buffer, begin: number, end: number): void {
  const rest = parseJson(Buffer.concat([document.subarray(0, begin), document.subarray(end)]));
  const list: unknown = typeof rest === 'object' && rest !== null && 'keys' in rest ? rest.keys : null;
  // Another `keys` after this one would count for other parsers.
  if (!Array.isArray(list) || list.length > 0) throw noKeySet();
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every(isSpace);
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}
