import type { KeyboardEvent } from 'react';
import { useContext, useEffect, useState } from 'react';
import {
  ComboBox as AriaComboBox,
  Button,
  ComboBoxStateContext,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Text,
} from 'react-aria-components';
import { Popover } from './popover.tsx';
import type { SelectOption } from './select.tsx';
import './picker.css';

export interface PickerOption extends SelectOption {
  /** What it is, beside its label: `identity`. */
  readonly kind?: string;
  /** Enter takes it only when the person has gone to it. */
  readonly isExplicit?: boolean;
}

export interface PickerField {
  readonly label: string;
  /** What fits the text, the best first; whoever shows the box looks for it. */
  readonly options: readonly PickerOption[];
  /** How many others fit. */
  readonly more?: number;
  /** The options are still those of an earlier text. */
  readonly isSearching?: boolean;
  /** Called with the text that was typed. */
  readonly onSearch: (text: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
  /** What the list says when nothing fits. */
  readonly empty?: string;
}

interface PickerProps extends Omit<PickerField, 'onSearch'> {
  readonly text: string;
  /** The text is not that of what is chosen. */
  readonly isTyped: boolean;
  readonly value: string | null;
  readonly onText: (text: string) => void;
  /** `hasFocus`: the person is still in the field. */
  readonly onTake: (id: string, hasFocus: boolean) => void;
  readonly autoFocus?: boolean;
}

/**
 * A field with suggestions. A click or Tab opens the list, and Enter takes its first entry, also when the controller has not answered
 * yet. What is not chosen when the person leaves stays, with an error, unless it is exactly an entry.
 */
export function Picker({ text, isTyped, value, onText, onTake, autoFocus, ...props }: PickerProps) {
  const { label, options, more = 0, isSearching = false, description, empty } = props;
  const [waitsFor, setWaitsFor] = useState<'first' | 'exact' | null>(null);
  const [hasFocus, setHasFocus] = useState(autoFocus === true);
  const [wasLeft, setWasLeft] = useState(false);
  const typed = text.trim();
  const hasTyped = isTyped && typed !== '';
  const { exact, first } = takenOf(options, typed);
  const isLeft = hasTyped && wasLeft && waitsFor === null;
  const error = isLeft ? `“${typed}” is not chosen. Choose an entry of the list.` : props.error;

  useEffect(() => {
    if (waitsFor === null || isSearching) return;
    setWaitsFor(null);
    const found = waitsFor === 'first' ? first : exact;
    if (found) onTake(found.id, hasFocus);
  }, [waitsFor, isSearching, first, exact, onTake, hasFocus]);

  return (
    <AriaComboBox
      className="field picker"
      data-unchosen={isLeft || waitsFor !== null || undefined}
      items={options}
      value={value}
      onChange={(id) => id !== null && onTake(String(id), true)}
      inputValue={text}
      onInputChange={(next) => {
        setWaitsFor(null);
        setWasLeft(false);
        onText(next);
      }}
      onFocus={() => setHasFocus(true)}
      onBlur={() => {
        setHasFocus(false);
        setWasLeft(true);
        if (hasTyped && waitsFor === null) setWaitsFor('exact');
      }}
      allowsEmptyCollection
      allowsCustomValue
      isInvalid={error !== undefined}
      {...(autoFocus && { autoFocus })}
      {...(props.isRequired && { isRequired: true })}
    >
      <Label>{label}</Label>
      <div className="picker-input">
        <PickerInput {...{ hasTyped, isSearching }} first={first?.id} onEnter={() => setWaitsFor('first')} />
        <Button className="picker-button" aria-label="Show suggestions">
          <span aria-hidden="true">▾</span>
        </Button>
      </div>
      {description && (
        <Text slot="description" className="description">
          {description}
        </Text>
      )}
      <FieldError className="error">{error}</FieldError>
      <PickerList {...{ isSearching, more, empty }} shown={options.length} />
    </AriaComboBox>
  );
}

/** What is exactly what was typed, and what Enter takes. */
function takenOf(options: readonly PickerOption[], typed: string) {
  const offered = options.filter(({ isExplicit }) => !isExplicit);
  const exact = offered.find((option) => option.id === typed || option.label === typed);
  return { exact, first: exact ?? offered[0] };
}

interface PickerListProps {
  readonly isSearching: boolean;
  /** How many options are shown, and how many others fit. */
  readonly shown: number;
  readonly more: number;
  readonly empty: string | undefined;
}

function PickerList({ isSearching, shown, more, empty = 'Nothing fits.' }: PickerListProps) {
  return (
    <Popover>
      <ListBox<PickerOption>
        renderEmptyState={() => <span className="option soft">{isSearching ? 'Looking …' : empty}</span>}
      >
        {(option) => (
          <ListBoxItem className="option picker-option" id={option.id} textValue={option.label}>
            <Text slot="label">{option.label}</Text>
            {option.kind !== undefined && (
              <Text slot="description" className="soft">
                {option.kind}
              </Text>
            )}
          </ListBoxItem>
        )}
      </ListBox>
      {more > 0 && (
        <div className="picker-more soft" role="status">
          {shown.toLocaleString()} of {(shown + more).toLocaleString()}: type more
        </div>
      )}
    </Popover>
  );
}

interface PickerInputProps {
  readonly hasTyped: boolean;
  readonly isSearching: boolean;
  /** What Enter takes. */
  readonly first: string | undefined;
  readonly onEnter: () => void;
}

function PickerInput({ hasTyped, isSearching, first, onEnter }: PickerInputProps) {
  const state = useContext(ComboBoxStateContext);
  // The list shows what Enter takes.
  useEffect(() => {
    if (!state?.isOpen || !hasTyped || isSearching || first === undefined) return;
    const { selectionManager: list, collection } = state;
    if (list.focusedKey === null && collection.getItem(first)) list.setFocusedKey(first);
  });
  const open = () => state && !state.isOpen && state.open(null, 'manual');

  function answerKey(event: KeyboardEvent): void {
    const isEscape = event.key === 'Escape' && state?.isOpen === true;
    const isEnter = event.key === 'Enter' && hasTyped && (!state?.isOpen || state.selectionManager.focusedKey === null);
    if (!isEscape && !isEnter) return;
    event.preventDefault();
    event.stopPropagation();
    if (isEnter) onEnter();
    else state?.setOpen(false);
  }

  return <Input onClick={open} onKeyUp={({ key }) => key === 'Tab' && open()} onKeyDownCapture={answerKey} />;
}
