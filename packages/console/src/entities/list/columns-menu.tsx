import { Menu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';
import { columnTitle } from './words.ts';

interface ListColumnsMenuProps {
  readonly available: readonly string[];
  readonly shown: readonly string[];
  /** `null`: those that the list shows by itself. */
  readonly onChange: (columns: readonly string[] | null) => void;
}

/** Chooses which columns a list shows. */
export function ListColumnsMenu({ available, shown, onChange }: ListColumnsMenuProps) {
  const choose = (keys: ReadonlySet<unknown>) => {
    const chosen = available.filter((name) => keys.has(name));
    // A table without a column shows nothing.
    if (chosen.length > 0) onChange(chosen);
  };
  return (
    <MenuTrigger>
      <Button>Columns</Button>
      <Popover>
        <Menu aria-label="Columns">
          <MenuSection
            aria-label="Columns"
            selectionMode="multiple"
            selectedKeys={shown}
            onSelectionChange={(keys) => choose(keys === 'all' ? new Set(available) : keys)}
          >
            {available.map((name) => (
              <MenuItem key={name} id={name} className="option" textValue={columnTitle(name)}>
                {({ isSelected }) => (
                  <>
                    <span className="tick" aria-hidden="true">
                      {isSelected ? '✓' : ''}
                    </span>
                    {columnTitle(name)}
                  </>
                )}
              </MenuItem>
            ))}
          </MenuSection>
          <MenuItem className="option menu-end" onAction={() => onChange(null)}>
            Usual columns
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
