import { useState } from 'react';
import { ComboBox as AriaComboBox, Button, Label, Tag, TagGroup, TagList } from 'react-aria-components';
import type { ComboBoxProps } from './combo-box.tsx';
import { ComboBoxParts } from './combo-box.tsx';
import type { SelectOption } from './select.tsx';
import './tag-field.css';

export interface TagFieldProps extends Omit<ComboBoxProps, 'value' | 'onChange' | 'isRequired'> {
  readonly values: readonly SelectOption[];
  readonly onChange: (ids: readonly string[]) => void;
  /** The value for a text that is not in the list; without it, only what is in the list can be added. */
  readonly fromText?: (text: string) => string;
}

/** Several values, each of which can be removed. */
export function TagField({ label, values, options, onChange, onSearch, fromText, ...props }: TagFieldProps) {
  // Each value gets a new box: one that is emptied would open its list again.
  const [box, setBox] = useState({ number: 0, hasFocus: false });
  const [text, setText] = useState('');
  const ids = values.map(({ id }) => id);

  function write(typed: string): void {
    setText(typed);
    onSearch(typed);
  }
  function add(id: string, hasFocus: boolean): void {
    write('');
    setBox({ number: box.number + 1, hasFocus });
    if (!ids.includes(id)) onChange([...ids, id]);
  }
  function addText(hasFocus: boolean): void {
    const typed = text.trim();
    const known = options.find((option) => option.label === typed || option.id === typed);
    if (known) add(known.id, hasFocus);
    else if (typed !== '' && fromText) add(fromText(typed), hasFocus);
  }

  return (
    <div className="field">
      <AriaComboBox
        key={box.number}
        autoFocus={box.hasFocus}
        className="field combo"
        items={options.filter(({ id }) => !ids.includes(id))}
        value={null}
        onChange={(id) => id !== null && add(String(id), true)}
        inputValue={text}
        onInputChange={write}
        onKeyDown={(event) => {
          const isChoosing = event.target instanceof Element && event.target.hasAttribute('aria-activedescendant');
          if (event.key !== 'Enter' || isChoosing || text.trim() === '') return;
          event.preventDefault();
          addText(true);
        }}
        onBlur={() => addText(false)}
        allowsEmptyCollection
        allowsCustomValue
        isInvalid={props.error !== undefined}
      >
        <ComboBoxParts label={label} {...props} />
      </AriaComboBox>
      {values.length > 0 && <Tags {...{ label, values, onChange }} />}
    </div>
  );
}

function Tags({ label, values, onChange }: Pick<TagFieldProps, 'label' | 'values' | 'onChange'>) {
  const ids = values.map(({ id }) => id);
  return (
    <TagGroup className="tags" onRemove={(keys) => onChange(ids.filter((id) => !keys.has(id)))}>
      <Label className="tags-label">{label}: chosen</Label>
      <TagList className="tag-list" items={values}>
        {(value) => (
          <Tag className="tag" id={value.id} textValue={value.label}>
            {value.label}
            <Button slot="remove" className="tag-remove">
              <span aria-hidden="true">✕</span>
            </Button>
          </Tag>
        )}
      </TagList>
    </TagGroup>
  );
}
