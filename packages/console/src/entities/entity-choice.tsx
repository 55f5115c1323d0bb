import { filter } from '@edge-controller/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { explainError } from '../api/explain-error.ts';
import { edge } from '../session/edge.ts';

type Searched = 'identities' | 'services';

interface Found {
  readonly id: string;
  readonly name: string;
}

interface EntityChoiceProps {
  readonly label: string;
  readonly resource: Searched;
  /** The chosen entity. Empty: none. */
  readonly id: string;
  readonly onChoose: (id: string) => void;
}

/** Names that a search shows. Who does not find one types more of it. */
const shownNames = 20;
const staleTime = 5_000;

/** A box that searches entities by a part of their names. */
export function EntityChoice({ label, resource, id, onChoose }: EntityChoiceProps) {
  const chosen = useQuery({
    queryKey: ['entity', 'management', resource, id, 'name'],
    queryFn: async ({ signal }): Promise<Found> => edge.management[resource].get(id, { signal }),
    enabled: id !== '',
  });
  const name = id === '' ? '' : (chosen.data?.name ?? id);
  // What was typed counts until something is chosen.
  const [typed, setTyped] = useState<string | null>(null);
  const wanted = typed ?? '';
  const found = useQuery({
    queryKey: ['list', 'management', resource, 'choice', wanted],
    queryFn: ({ signal }) => search(resource, wanted, signal),
    enabled: typed !== null,
    staleTime,
    placeholderData: (before) => before,
  });

  return (
    <ComboBox
      className="field"
      items={found.data ?? []}
      inputValue={typed ?? name}
      onInputChange={(text) => setTyped(text === name ? null : text)}
      value={id === '' ? null : id}
      onChange={(key) => {
        setTyped(null);
        onChoose(key === null ? '' : String(key));
      }}
      onFocus={() => setTyped((before) => before ?? (id === '' ? '' : null))}
      onBlur={() => {
        if (typed === '') onChoose('');
        setTyped(null);
      }}
      menuTrigger="focus"
      allowsCustomValue
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <Input placeholder="Type a part of the name" />
      {found.error && (
        <Text slot="description" className="description">
          {explainError(found.error).text}
        </Text>
      )}
      <Popover className="popover">
        <ListBox
          renderEmptyState={() => <p className="option soft">{found.isFetching ? 'Searching …' : 'Nothing found'}</p>}
        >
          {(option: Found) => (
            <ListBoxItem id={option.id} className="option" textValue={option.name}>
              {option.name}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

async function search(resource: Searched, text: string, signal: AbortSignal): Promise<readonly Found[]> {
  const where = text === '' ? {} : { filter: filter`name icontains ${text}` };
  const { data } = await edge.management[resource].list({ ...where, sort: 'name', limit: shownNames }, { signal });
  return data.map(({ id, name }) => ({ id, name }));
}
