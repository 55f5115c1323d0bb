import { titleOf } from '../api/titles.ts';

/** `1 identity`, `1,200 auth policies`. */
export function countOf(count: number, resource: string): string {
  const many = inSentence(resource);
  return `${count.toLocaleString()} ${count === 1 ? oneOf(many) : many}`;
}

/** The title of a column. `authPolicy.name` is the auth policy. */
export function columnTitle(name: string): string {
  return titleOf(name.replace(/\.name$/, ''));
}

/** The name of a resource inside a sentence: `auth policies`, `API sessions`. */
export function inSentence(resource: string): string {
  const title = titleOf(resource);
  return /^[A-Z]{2}/.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1);
}

/** What one entity of a resource is called inside a sentence: `auth policy`. */
export function nounOf(resource: string): string {
  return oneOf(inSentence(resource));
}

function oneOf(many: string): string {
  return many.endsWith('ies') ? `${many.slice(0, -3)}y` : many.replace(/s$/, '');
}
