/** The known name that is most like this one, as the end of a sentence. Empty when none is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const pairs = pairsOf(name);
  const common = (one: string) => pairs.filter((pair) => pairsOf(one).includes(pair)).length;
  // A long name has many pairs, so it has the pairs of others by chance.
  const likeness = (one: string) => common(one) / (pairs.length + one.length);
  const [nearest = ''] = [...known].sort((a, b) => likeness(b) - likeness(a));
  return common(nearest) * 2 > pairs.length ? `; did you mean "${nearest}"?` : '';
}

function pairsOf(name: string): string[] {
  return [...name.toLowerCase()].map((letter, at, letters) => letter + letters[at + 1]);
}
