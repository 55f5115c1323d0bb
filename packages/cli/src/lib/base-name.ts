/** Windows takes these for devices, also with an extension. */
const device = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(\.|$)/i;
const longest = 100;

/** A name for a file in the current folder, made of a text that anybody may have chosen: the claim of a JWT. */
export function baseNameOf(claim: unknown): string {
  const text = typeof claim === 'string' ? claim : '';
  const name = text
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^[.-]+|[.-]+$/g, '');
  return name === '' || device.test(name) ? 'identity' : name;
}
