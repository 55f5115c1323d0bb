/** The known name that is most like this one, as the end of a sentence. Empty when none is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const pairs = pairsOf(name);
  const likeness = (one: string) => pairs.filter((pair) => pairsOf(one).includes(pair)).length;
  const [nearest = ''] = [...known].sort((a, b) => likeness(b) - likeness(a));
  return likeness(nearest) * 2 > pairs.length ? `; did you mean "${nearest}"?` : '';
}

function pairsOf(name: string): string[] {
  return [...name.toLowerCase()].map((letter, at, letters) => letter + letters[at + 1]);
}
