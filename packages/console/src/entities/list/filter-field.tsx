import type { RefObject } from 'react';
import { useRef, useState } from 'react';
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Text } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Popover } from '../../ui/popover.tsx';

interface ListFilterFieldProps {
  readonly value: string;
  /** Symbols that a filter may name. */
  readonly symbols: readonly string[];
  readonly error: string | undefined;
  readonly onApply: (filter: string) => void;
}

const maxLength = 2_000;
const maxSuggestions = 12;

/** A condition of the query language. The symbols that begin like the last word are suggested. */
export function ListFilterField({ value, symbols, error, onApply }: ListFilterFieldProps) {
  const [text, setText] = useState(value);
  const [known, setKnown] = useState(value);
  // The address has changed by itself, such as on the way back.
  if (value !== known) {
    setKnown(value);
    setText(value);
  }
  const input = useRef<HTMLInputElement>(null);
  return (
    <Form
      className="list-filter"
      // An error of the controller must not stop the next try.
      validationBehavior="aria"
      onSubmit={() => onApply(text.trim())}
    >
      <ConditionBox {...{ input, text, symbols, error, onApply }} onText={setText} />
      <div className="row">
        <Button type="submit">Apply</Button>
        <Button
          kind="quiet"
          isDisabled={text === '' && value === ''}
          onPress={() => {
            setText('');
            onApply('');
            input.current?.focus();
          }}
        >
          Clear
        </Button>
      </div>
    </Form>
  );
}

interface ConditionBoxProps extends Omit<ListFilterFieldProps, 'value'> {
  readonly input: RefObject<HTMLInputElement | null>;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function ConditionBox({ input, text, symbols, error, onText, onApply }: ConditionBoxProps) {
  const word = /[\w.]*$/.exec(text)?.[0] ?? '';
  const isInString = (text.replaceAll(/\\./g, '').split('"').length - 1) % 2 === 1;
  const suggestions = isInString ? [] : symbols.filter((symbol) => isBeginning(word, symbol)).slice(0, maxSuggestions);
  const complete = (symbol: string) => onText(`${text.slice(0, text.length - word.length)}${symbol} `);
  return (
    <ComboBox
      className="field"
      allowsCustomValue
      menuTrigger="input"
      items={suggestions.map((symbol) => ({ id: symbol }))}
      inputValue={text}
      onInputChange={onText}
      value={null}
      onChange={(key) => key !== null && complete(String(key))}
      defaultFilter={() => true}
      isInvalid={error !== undefined}
    >
      <Label>Filter</Label>
      <Input
        ref={input}
        maxLength={maxLength}
        spellCheck={false}
        autoCapitalize="off"
        onKeyDownCapture={(event) => {
          const isChoosing = event.currentTarget.hasAttribute('aria-activedescendant');
          if (event.key !== 'Enter' || isChoosing) return;
          event.preventDefault();
          onApply(text.trim());
        }}
      />
      <Text slot="description" className="description">
        {example(symbols)}
      </Text>
      <FieldError className="error">{error}</FieldError>
      <Popover>
        <ListBox<{ id: string }>>{({ id }) => <ListBoxItem className="option">{id}</ListBoxItem>}</ListBox>
      </Popover>
    </ComboBox>
  );
}

function isBeginning(word: string, symbol: string): boolean {
  return word !== '' && symbol !== word && symbol.toLowerCase().startsWith(word.toLowerCase());
}

function example(symbols: readonly string[]): string {
  const first = symbols.includes('name') ? 'name' : (symbols.find((symbol) => symbol !== 'id') ?? 'id');
  const time = symbols.includes('createdAt') ? ' and createdAt > datetime(2026-01-31T00:00:00Z)' : '';
  return `For example: ${first} contains "a"${time}. Fields: ${symbols.join(', ')}.`;
}
