import type { ApiName, Row } from '@edge-controller/operation-tables';
import { apiOfNames, isRow } from '@edge-controller/operation-tables';
import { filter } from '@edge-controller/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { callOf } from './calls.ts';
import { pageOf } from './rows.ts';

/** An entity as a list of suggestions shows it. */
export interface NamedEntity {
  readonly id: string;
  /** Its name. */
  readonly label: string;
}

/** Names that a list of suggestions shows. */
const maxSuggestions = 20;
/** Ids whose names are looked up. The others are shown as ids. */
const maxIds = 100;
/** Milliseconds without a key after which the controller is asked. */
const typingTime = 200;

/** The text, as soon as nobody types any more. */
export function useTyped(text: string): string {
  const [typed, setTyped] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setTyped(text), typingTime);
    return () => clearTimeout(timer);
  }, [text]);
  return typed;
}

/** What a search has found for a text. */
export interface Found<Entry> {
  readonly found: readonly Entry[];
  /** How many others there are. */
  readonly more: number;
  /** The text has changed since. */
  readonly isSearching: boolean;
}

interface FoundPage<Entry> {
  readonly found: readonly Entry[];
  readonly total: number;
}

/** Asks the controller for what fits a text, when nobody types any more. Finds nothing for `undefined` as the place. */
function useSearch<Entry>(
  place: readonly [kind: string, api: ApiName, resource: string | undefined],
  text: string,
  search: (text: string) => Promise<FoundPage<Entry>>,
): Found<Entry> {
  const typed = useTyped(text);
  const isAsked = place[2] !== undefined;
  const { data, isFetching } = useQuery({
    queryKey: [...place, typed],
    enabled: isAsked,
    queryFn: () => search(typed),
    placeholderData: keepPreviousData,
  });
  const { found = [], total = 0 } = (isAsked && data) || {};
  return { found, more: total - found.length, isSearching: isAsked && (isFetching || text !== typed) };
}

/** Entities whose name has the text, or whose id it is. Empty for `to: undefined`. */
export function useNameSearch(api: ApiName, to: string | undefined, text: string): Found<NamedEntity> {
  return useSearch(['names', api, to], text, async (typed) => {
    const condition = typed === '' ? 'true' : filter`name icontains ${typed} or id = ${typed}`;
    const page = await readNames(api, to ?? '', { filter: condition, sort: 'name', limit: maxSuggestions });
    if (typed === '' || page.total === page.found.length || page.found.some(({ label }) => label === typed))
      return page;
    const { found: exact } = await readNames(api, to ?? '', { filter: filter`name = ${typed}`, limit: 1 });
    return { ...page, found: [...exact, ...page.found] };
  });
}

/** Id → name, as far as the names are known. */
export function useNames(api: ApiName, to: string | undefined, ids: readonly string[]): ReadonlyMap<string, string> {
  const asked = ids.slice(0, maxIds);
  const { data } = useQuery({
    queryKey: ['names', api, to, asked],
    enabled: to !== undefined && asked.length > 0,
    queryFn: () => readNames(api, to ?? '', { filter: filter`id in ${asked}`, limit: maxIds }),
    placeholderData: keepPreviousData,
  });
  return new Map((data?.found ?? []).map(({ id, label }) => [id, label]));
}

async function readNames(api: ApiName, to: string, query: Row): Promise<FoundPage<NamedEntity>> {
  const source = await apiOfNames(api, to);
  if (source === null) return { found: [], total: 0 };
  const { rows, total } = pageOf(await callOf(source, to, 'list')(query));
  return { found: rows.map(({ id, name }) => ({ id: String(id), label: String(name ?? id) })), total };
}

/** Role attributes of the entities of a resource that have the text. */
export function useAttributeSearch(api: ApiName, resource: string | undefined, text: string): Found<string> {
  return useSearch(['attributes', api, resource], text, async (typed) => {
    const condition = typed === '' ? 'true' : filter`id icontains ${typed}`;
    const page = await readAttributes(api, resource ?? '', `${condition} limit ${maxSuggestions}`);
    if (typed === '' || page.total === page.found.length || page.found.includes(typed)) return page;
    const { found: exact } = await readAttributes(api, resource ?? '', filter`id = ${typed}`);
    return { ...page, found: [...exact, ...page.found] };
  });
}

async function readAttributes(api: ApiName, resource: string, condition: string): Promise<FoundPage<string>> {
  const answer = await callOf(api, resource, 'roleAttributes')({ filter: condition });
  const list = isRow(answer) ? answer.data : answer;
  const found = Array.isArray(list) ? list.map(String) : [];
  return { found, total: Math.max(pageOf(answer).total, found.length) };
}

/** What is the text first, then what begins with it. */
export function bestFirst<Entry>(text: string, entries: readonly Entry[], nameOf: (entry: Entry) => string) {
  const word = text.toLowerCase();
  function rankOf(entry: Entry): number {
    const name = nameOf(entry);
    const lower = name.toLowerCase();
    return name === text ? 0 : lower === word ? 1 : lower.startsWith(word) ? 2 : 3;
  }
  return entries.toSorted((one, other) => rankOf(one) - rankOf(other));
}
