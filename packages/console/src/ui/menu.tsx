import type { ReactNode } from 'react';
import { Menu as AriaMenu, MenuItem, MenuTrigger } from 'react-aria-components';
import type { ButtonProps } from './button.tsx';
import { Button } from './button.tsx';
import { Popover } from './popover.tsx';

export interface MenuAction {
  readonly id: string;
  readonly label: string;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

export interface MenuProps extends Pick<ButtonProps, 'kind'> {
  /** What the button shows. */
  readonly label: ReactNode;
  /** What the button is called when `label` is no text. */
  readonly name?: string;
  readonly actions: readonly MenuAction[];
}

export function Menu({ label, name, actions, ...props }: MenuProps) {
  return (
    <MenuTrigger>
      <Button {...props} {...(name !== undefined && { 'aria-label': name })}>
        {label}
      </Button>
      <Popover>
        <AriaMenu items={actions}>
          {({ id, label: text, isDanger, run }) => (
            <MenuItem id={id} className={isDanger ? 'option danger' : 'option'} onAction={run}>
              {text}
            </MenuItem>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
