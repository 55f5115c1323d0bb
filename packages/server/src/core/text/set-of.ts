/** The texts of a set as the wire has them: each once, in the order of their bytes in UTF-8. */
export function setOf(texts: readonly string[]): string[] {
  const keyed = [...new Set(texts)].map((text) => ({ text, bytes: Buffer.from(text) }));
  return keyed.sort((a, b) => Buffer.compare(a.bytes, b.bytes)).map(({ text }) => text);
}
