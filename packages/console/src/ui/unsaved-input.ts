import { createContext, use, useEffect } from 'react';

/** Tells the dialog around a form whether it would drop something that a person has given. */
export const ReportUnsavedInput = createContext<(isUnsaved: boolean) => void>(() => undefined);

/** While it is true, the dialog around the form does not close without a question. */
export function useUnsavedInput(isUnsaved: boolean): void {
  const report = use(ReportUnsavedInput);
  useEffect(() => {
    report(isUnsaved);
    return () => report(false);
  }, [report, isUnsaved]);
}
