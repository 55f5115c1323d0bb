import type { RefObject } from 'react';
import { useEffect, useRef } from 'react';

interface PageHeadingProps {
  readonly title: string;
  /** What the page belongs to: the title of the list of an entity. */
  readonly path?: string;
  readonly ref?: RefObject<HTMLHeadingElement | null>;
}

const product = 'Edge Controller';

/** The heading of a page. It names the page in the browser, and takes the focus when the page comes. */
export function PageHeading({ title, path, ref }: PageHeadingProps) {
  const own = useRef<HTMLHeadingElement>(null);
  const heading = ref ?? own;
  useEffect(() => {
    document.title = [title, path, product].filter(Boolean).join(' – ');
    return () => {
      document.title = product;
    };
  }, [title, path]);
  useEffect(() => {
    if (!isInUse(document.activeElement)) heading.current?.focus();
  }, [heading]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** Whether somebody works in the page already, or in a dialog over it. */
function isInUse(element: Element | null): boolean {
  return element?.closest('main *, [role="dialog"]') != null;
}
