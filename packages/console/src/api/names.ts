import type { ApiName, Row } from '@edge-controller/operation-tables';
import { apiOfNames } from '@edge-controller/operation-tables';
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

/** Entities whose name has the text, or whose id it is. Empty for `to: undefined`. */
export function useNameSearch(api: ApiName, to: string | undefined, text: string): readonly NamedEntity[] {
  const { data } = useQuery({
    queryKey: ['names', api, to, text],
    enabled: to !== undefined,
    queryFn: async () => {
      const condition = text === '' ? 'true' : filter`name icontains ${text} or id = ${text}`;
      return readNames(api, to ?? '', { filter: condition, sort: 'name', limit: maxSuggestions });
    },
    placeholderData: keepPreviousData,
  });
  return data ?? [];
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
  return new Map((data ?? []).map(({ id, label }) => [id, label]));
}

async function readNames(api: ApiName, to: string, query: Row): Promise<readonly NamedEntity[]> {
  const source = await apiOfNames(api, to);
  if (source === null) return [];
  const { rows } = pageOf(await callOf(source, to, 'list')(query));
  return rows.map(({ id, name }) => ({ id: String(id), label: String(name ?? id) }));
}

/** Role attributes of the entities of a resource that have the text. */
export function useAttributeSearch(api: ApiName, resource: string | undefined, text: string): readonly string[] {
  const { data } = useQuery({
    queryKey: ['attributes', api, resource, text],
    enabled: resource !== undefined,
    queryFn: async () => {
      const condition = text === '' ? 'true' : filter`id icontains ${text}`;
      const answer = await callOf(
        api,
        resource ?? '',
        'roleAttributes',
      )({
        filter: `${condition} limit ${maxSuggestions}`,
      });
      return attributesOf(answer);
    },
    placeholderData: keepPreviousData,
  });
  return data ?? [];
}

function attributesOf(answer: unknown): readonly string[] {
  const list = Array.isArray(answer) ? answer : (answer as { readonly data?: unknown }).data;
  return Array.isArray(list) ? list.map(String) : [];
}
