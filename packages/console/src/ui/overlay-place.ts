import { createContext } from 'react';

/** Where dialogs and menus of the pages go. `undefined`: the end of the document. */
export const OverlayPlace = createContext<HTMLElement | undefined>(undefined);
