/**
 * Prepares a value of a name for comparison: two values are equal when they are prepared to the same text
 * (RFC 4518, section 2, with case folding). Returns `null` for a value that is not compared as text: it is too long, or
 * has code points that the RFC forbids.
 */
export function prepareText(text: string): string | null {
  if (plain.test(text)) return collapseSpaces(text.toLowerCase());
  if (text.length > maxLength) return null;
  const mapped = text.replace(mappedToSpace, ' ').replace(mappedToNothing, '').normalize('NFKC');
  if (mapped.length > maxLength || prohibited.test(mapped)) return null;
  // JavaScript has no case folding. Upper case first makes one of `ß` and `SS`, and there is more than one small sigma.
  const folded = mapped.toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC');
  return collapseSpaces(folded.replace(mappedToSpace, ' '));
}

/** Characters. X.520 allows 64 in most attributes. */
const maxLength = 1_024;
const plain = /^[ -~]*$/;
/** Section 2.2, behind white space: control and format characters, such as soft hyphens, joiners and variation selectors. */
const mappedToNothing = /\p{Cc}|\p{Cf}|\p{Variation_Selector}|\u{34f}|\u{fffc}/gu;
const mappedToSpace = /[\t-\r\u{85}\p{Z}]/gu;
/** Section 2.4: unassigned, private use, surrogates, not characters, and the replacement character. */
const prohibited = /[\p{Cn}\p{Co}\p{Cs}\u{fffd}]/u;

/** Section 2.6.1. Whether a value has spaces at its ends is the same for equal values, so they need not be added. */
function collapseSpaces(text: string): string {
  return text.replace(/ +/g, ' ').replace(/^ | $/g, '');
}
