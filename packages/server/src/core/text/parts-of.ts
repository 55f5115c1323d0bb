/** Bytes by a key. Items with the same key share them. */
export type Sizes = ReadonlyMap<string, number>;

const maxBytes = 1_048_576;

/** Splits items into parts with at most 1 MiB. What the items of a part share counts once. A larger item has its own part. */
export function partsOf<Item>(items: readonly Item[], sizesOf: (item: Item) => Sizes): readonly (readonly Item[])[] {
  const parts: Item[][] = [];
  let counted = new Set<string>();
  let room = 0;
  for (const item of items) {
    const sizes = [...sizesOf(item)];
    const part = parts.at(-1);
    const more = bytesOf(sizes.filter(([key]) => !counted.has(key)));
    const fits = part !== undefined && more <= room;
    if (fits) part.push(item);
    else parts.push([item]);
    if (!fits) counted = new Set();
    room = fits ? room - more : maxBytes - bytesOf(sizes);
    for (const [key] of sizes) counted.add(key);
  }
  return parts;
}

function bytesOf(sizes: readonly (readonly [string, number])[]): number {
  return sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
}
