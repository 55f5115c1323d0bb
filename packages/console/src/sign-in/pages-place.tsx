import type { ReactNode } from 'react';
import { useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { OverlayPlace } from '../ui/overlay-place.ts';

interface PagesPlaceProps {
  readonly isShown: boolean;
  readonly children: ReactNode;
}

/**
 * The place of the pages of one person, with their dialogs. While they are not shown, nothing of them is in the document, and not in
 * its title. They are in memory as they were, with what was typed.
 */
export function PagesPlace({ isShown, children }: PagesPlaceProps) {
  const [place] = useState(createPlace);
  const parent = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!isShown) return;
    parent.current?.append(place);
    return () => place.remove();
  }, [isShown, place]);
  useHiddenTitle(isShown);
  return (
    <div ref={parent} className="pages">
      <OverlayPlace value={place}>{createPortal(children, place)}</OverlayPlace>
    </div>
  );
}

function createPlace(): HTMLElement {
  const place = document.createElement('div');
  place.className = 'pages';
  return place;
}

/** The title names what the page shows. */
function useHiddenTitle(isShown: boolean): void {
  useLayoutEffect(() => {
    if (isShown) return;
    const { title } = document;
    document.title = 'Edge Controller';
    return () => {
      document.title = title;
    };
  }, [isShown]);
}
