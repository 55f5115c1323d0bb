const [quote, backslash] = [0x22, 0x5c];

/**
 * Index of the quote that ends the JSON string which begins at `start`; the length of the bytes when nothing ends it. It
 * reads each byte once: a search for the next quote would begin anew at each escaped one.
 */
export function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === backslash) at += 1;
    else if (byte === quote) return at;
  }
  return json.length;
}
