import type { ReactNode } from 'react';
import { Tabs as AriaTabs, Tab, TabList, TabPanel } from 'react-aria-components';

export interface TabPage {
  readonly id: string;
  readonly title: string;
  /** Called when somebody opens the tab. */
  readonly show: () => ReactNode;
}

export function Tabs({ label, pages }: { readonly label: string; readonly pages: readonly TabPage[] }) {
  return (
    <AriaTabs className="tabs" keyboardActivation="manual">
      <TabList className="tab-list" aria-label={label} items={pages}>
        {({ id, title }) => (
          <Tab className="tab" id={id}>
            {title}
          </Tab>
        )}
      </TabList>
      {pages.map(({ id, show }) => (
        <TabPanel key={id} id={id}>
          {({ state }) => state.selectedKey === id && show()}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
