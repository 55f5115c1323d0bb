/** What the placeholders of a name format stand for. */
export interface IdentityNameValues {
  readonly caName: string;
  readonly caId: string;
  /** `null`: the certificate has none. */
  readonly commonName: string | null;
  /** The name that the device has asked for. `null` or empty: none; it is then the id of the identity. */
  readonly requestedName: string | null;
  readonly identityId: string;
}

/** Characters. A name may have 500, so a counter fits behind. */
const maxLength = 450;

/**
 * Returns the name of an identity that enrolls itself with the certificate of a CA. `format` has the placeholders
 * `[caName]`, `[caId]`, `[commonName]`, `[requestedName]` and `[identityId]`. A value is never read as a placeholder. A name
 * that would be empty is the id of the identity.
 */
export function identityName(format: string, values: IdentityNameValues): string {
  const { caName, caId, identityId } = values;
  const texts: Readonly<Record<string, string>> = {
    '[caName]': caName,
    '[caId]': caId,
    '[commonName]': values.commonName ?? '',
    '[requestedName]': values.requestedName || identityId,
    '[identityId]': identityId,
  };
  const name = format.replace(
    /\[(?:caName|caId|commonName|requestedName|identityId)\]/g,
    (found) => texts[found] ?? '',
  );
  // A common name may have any character.
  const storable = name
    .replace(/\p{Cc}/gu, '')
    .slice(0, maxLength)
    .toWellFormed();
  return storable.trim() === '' ? identityId : storable;
}
