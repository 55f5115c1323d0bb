import type { ReactNode } from 'react';
import { useId, useRef } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import type { Draft, Drafts, Entry } from './draft.ts';
import { isEntriesDraft } from './draft.ts';
import type { FieldProps } from './field-props.ts';
import { draftsOf } from './read-body.ts';

interface EntryForm {
  readonly drafts: Drafts;
  /** Its place in the list. */
  readonly at: number;
  readonly onChange: (name: string, draft: Draft) => void;
}

interface EntriesFieldProps extends FieldProps {
  /** The fields of one entry. */
  readonly children: (form: EntryForm) => ReactNode;
}

/** The objects of a list, each in a frame with its own fields. */
export function EntriesField({ field, draft, onChange, label, description, error, children }: EntriesFieldProps) {
  const labelId = useId();
  const addButton = useRef<HTMLButtonElement>(null);
  const entries = isEntriesDraft(draft) ? draft.entries : [];
  const write = (next: readonly Entry[]) => onChange({ entries: next });

  function add(): void {
    const key = Math.max(-1, ...entries.map((entry) => entry.key)) + 1;
    write([...entries, { key, drafts: draftsOf(field.items ?? []) }]);
  }
  function remove(at: number): void {
    write(entries.toSpliced(at, 1));
    // Its own button goes.
    addButton.current?.focus();
  }

  return (
    <Group className="field entries" aria-labelledby={labelId} isInvalid={error !== undefined}>
      <span className="label" id={labelId}>
        {label}
      </span>
      {description && <span className="description">{description}</span>}
      {entries.map(({ key, drafts }, at) => (
        <fieldset className="field-group" key={key}>
          <legend>Entry {at + 1}</legend>
          {children({
            drafts,
            at,
            onChange: (name, own) => write(entries.with(at, { key, drafts: { ...drafts, [name]: own } })),
          })}
          <div className="row">
            <Button aria-label={`Remove entry ${at + 1} of ${label}`} onPress={() => remove(at)}>
              Remove entry {at + 1}
            </Button>
          </div>
        </fieldset>
      ))}
      {error !== undefined && <span className="error">{error}</span>}
      <div className="row">
        <Button ref={addButton} aria-label={`Add an entry to ${label}`} onPress={add}>
          Add an entry
        </Button>
      </div>
    </Group>
  );
}
