import { isRow } from '@edge-controller/operation-tables';
import { filter } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { Key } from 'react-aria-components';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { callOf } from '../api/calls.ts';
import { explainError } from '../api/explain-error.ts';
import { pageOf } from '../api/rows.ts';

interface Found {
  readonly id: string;
  readonly name: string;
}

interface EntityChoiceProps {
  readonly label: string;
  readonly resource: string;
  /** The chosen entity. Empty: none. */
  readonly id: string;
  readonly onChoose: (id: string) => void;
}

/** Names that a search shows. Who does not find one types more of it. */
const shownNames = 20;

/** A box that searches entities by a part of their names. */
export function EntityChoice({ label, resource, id, onChoose }: EntityChoiceProps) {
  const { selected, select } = useSelected(resource, id);
  const hasFocus = useRef(false);
  const [isFocused, setIsFocused] = useState(false);
  // What is typed counts until something is chosen.
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = typed ?? '';
  const found = useQuery({
    queryKey: ['list', 'management', resource, 'choice', wanted],
    queryFn: ({ signal }) => search(resource, wanted, signal),
    enabled: isFocused,
    placeholderData: (before) => before,
  });
  const options = found.data ?? (selected ? [selected] : []);

  function choose(key: Key | null): void {
    setTyped(null);
    const option = options.find((one) => one.id === key) ?? null;
    select(option);
    onChoose(option?.id ?? '');
  }

  function type(text: string): void {
    // The box puts its own text there when it loses the focus.
    if (!hasFocus.current) return;
    if (text === '' && selected !== null) choose(null);
    else setTyped(text === selected?.name ? null : text);
  }

  function noteFocus(isThere: boolean): void {
    hasFocus.current = isThere;
    setIsFocused(isThere);
    setTyped(null);
  }

  return (
    <ComboBox
      className="field"
      items={options}
      inputValue={typed ?? selected?.name ?? ''}
      onInputChange={type}
      value={selected?.id ?? null}
      onChange={choose}
      onFocus={() => noteFocus(true)}
      onBlur={() => noteFocus(false)}
      menuTrigger="focus"
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <Input placeholder="Type a part of the name" />
      {found.error && (
        <Text slot="description" className="description">
          {explainError(found.error).text}
        </Text>
      )}
      <Options isSearching={found.isFetching} />
    </ComboBox>
  );
}

function Options({ isSearching }: { readonly isSearching: boolean }) {
  return (
    <Popover className="popover">
      <ListBox renderEmptyState={() => <p className="option soft">{isSearching ? 'Searching …' : 'Nothing found'}</p>}>
        {(option: Found) => (
          <ListBoxItem id={option.id} className="option" textValue={option.name}>
            {option.name}
          </ListBoxItem>
        )}
      </ListBox>
    </Popover>
  );
}

/** The chosen entity with its name. `select` counts at once: the page may take a moment to pass the id on. */
function useSelected(resource: string, id: string) {
  const [lastId, setLastId] = useState(id);
  const [known, setKnown] = useState<Found | null>(null);
  const [isAhead, setIsAhead] = useState(false);
  if (id !== lastId) {
    setLastId(id);
    setIsAhead(false);
    if (known?.id !== id) setKnown(null);
  }
  const { data } = useQuery({
    queryKey: ['entity', 'management', resource, id, 'name'],
    queryFn: async ({ signal }) => foundOf(await callOf('management', resource, 'get')(id, { signal })),
    enabled: id !== '' && known === null,
  });
  const selected = isAhead || known !== null ? known : id === '' ? null : { id, name: data?.name ?? id };

  function select(option: Found | null): void {
    setKnown(option);
    setIsAhead((option?.id ?? '') !== id);
  }

  return { selected, select };
}

async function search(resource: string, text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const where = text === '' ? {} : { filter: filter`name icontains ${text}` };
  const list = callOf('management', resource, 'list');
  const { rows } = pageOf(await list({ ...where, sort: 'name', limit: shownNames }, { signal }));
  return rows.map(foundOf);
}

function foundOf(row: unknown): Found {
  const { id, name } = isRow(row) ? row : {};
  return { id: String(id), name: String(name) };
}
