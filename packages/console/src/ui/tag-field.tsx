import { useState } from 'react';
import { Button, Label, Tag, TagGroup, TagList } from 'react-aria-components';
import type { PickerField } from './picker.tsx';
import { Picker } from './picker.tsx';
import type { SelectOption } from './select.tsx';
import './tag-field.css';

export interface TagFieldProps extends Omit<PickerField, 'isRequired'> {
  readonly values: readonly SelectOption[];
  readonly onChange: (ids: readonly string[]) => void;
}

/** Several values, each of which can be removed. */
export function TagField({ values, options, onChange, onSearch, ...props }: TagFieldProps) {
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

  return (
    <div className="field">
      <Picker
        key={box.number}
        {...props}
        options={options.filter(({ id }) => !ids.includes(id))}
        value={null}
        text={text}
        isTyped
        onText={write}
        onTake={add}
        autoFocus={box.hasFocus}
      />
      {values.length > 0 && <Tags label={props.label} {...{ values, onChange }} />}
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
