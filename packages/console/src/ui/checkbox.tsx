import type { ReactNode } from 'react';

export interface CheckboxProps {
  readonly isSelected: boolean;
  readonly onChange: (isSelected: boolean) => void;
  /** Some of what it stands for is selected. */
  readonly isIndeterminate?: boolean;
  readonly isInvalid?: boolean;
  readonly isDisabled?: boolean;
  /** What it is called when no text stands beside it. */
  readonly name?: string;
  readonly children?: ReactNode;
}

/** One of HTML: a list has hundreds. */
export function Checkbox(props: CheckboxProps) {
  const {
    isSelected,
    onChange,
    isIndeterminate = false,
    isInvalid = false,
    isDisabled = false,
    name,
    children,
  } = props;
  return (
    <label className="check">
      <input
        type="checkbox"
        aria-label={name}
        aria-invalid={isInvalid}
        checked={isSelected}
        disabled={isDisabled}
        ref={(box) => {
          if (box !== null) box.indeterminate = isIndeterminate;
        }}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      {children}
    </label>
  );
}
