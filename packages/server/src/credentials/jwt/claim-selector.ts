/** Characters. */
const maxSelectorLength = 500;
/** RFC 6901, section 3: a tilde only as `~0` or `~1`. */
const pointer = /^(?:\/(?:[^~/]|~[01])*)+$/u;

/**
 * True for what can select a claim: a JSON pointer (RFC 6901), such as `/realm/user~1id`, or the name of a root member, such as
 * `sub` or `https://claims.example/id`. A pointer begins with a slash, and a name does not. Both have 1 to 500 characters.
 */
export function isClaimSelector(text: string): boolean {
  return text.length > 0 && text.length <= maxSelectorLength && (!isPointer(text) || pointer.test(text));
}

/** Returns the claim at the selector; `undefined` when there is none, or the text is not a selector. */
export function selectClaim(claims: Readonly<Record<string, unknown>>, selector: string): unknown {
  if (!isClaimSelector(selector)) return undefined;
  if (!isPointer(selector)) return memberOf(claims, selector);
  return selector
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(memberOf, claims);
}

function isPointer(selector: string): boolean {
  return selector.startsWith('/');
}

/** Own members only: `constructor` must not lead to a prototype. */
function memberOf(value: unknown, token: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  // RFC 6901, section 4: an index has no leading zero. `length` is an own member of an array, too.
  if (Array.isArray(value) && !/^(?:0|[1-9]\d*)$/.test(token)) return undefined;
  return Object.hasOwn(value, token) ? (value as Record<string, unknown>)[token] : undefined;
}
