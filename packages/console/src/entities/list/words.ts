import { titleOf } from '../../api/titles.ts';

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

/** What a person reads after an act: `Auth policy strict created.` */
export function doneSentence(resource: string, name: unknown, act: string): string {
  const noun = nounOf(resource);
  return [noun.charAt(0).toUpperCase() + noun.slice(1), name, `${act}.`].filter(Boolean).join(' ');
}

function oneOf(many: string): string {
  return many.endsWith('ies') ? `${many.slice(0, -3)}y` : many.replace(/s$/, '');
}
