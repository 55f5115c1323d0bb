import { Select as AriaSelect, Button, Label, ListBox, ListBoxItem, SelectValue, Text } from 'react-aria-components';
import { Popover } from './popover.tsx';

export interface SelectOption {
  readonly id: string;
  readonly label: string;
}

export interface SelectProps {
  readonly label: string;
  readonly options: readonly SelectOption[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly description?: string | undefined;
  readonly error?: string | undefined;
  readonly isRequired?: boolean;
}

export function Select({ label, options, value, onChange, description, error, isRequired }: SelectProps) {
  return (
    <AriaSelect
      className="field"
      value={value}
      onChange={(id) => id !== null && onChange(String(id))}
      isInvalid={error !== undefined}
      {...(isRequired && { isRequired })}
    >
      <Label>{label}</Label>
      <Button className="select-button">
        <SelectValue />
        <span aria-hidden="true">▾</span>
      </Button>
      {description && (
        <Text slot="description" className="description">
          {description}
        </Text>
      )}
      {error !== undefined && (
        <Text slot="errorMessage" className="error">
          {error}
        </Text>
      )}
      <Popover>
        <ListBox items={options}>
          {(option) => (
            <ListBoxItem className="option" id={option.id} textValue={option.label}>
              {option.label}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
