import { use } from 'react';
import type { PopoverProps } from 'react-aria-components';
import { Popover as AriaPopover } from 'react-aria-components';
import { OverlayPlace } from './overlay-place.ts';

/** What opens beside a control: a menu, or the options of a box. */
export function Popover(props: Pick<PopoverProps, 'children'>) {
  const place = use(OverlayPlace);
  return <AriaPopover className="popover" {...props} {...(place && { UNSTABLE_portalContainer: place })} />;
}
