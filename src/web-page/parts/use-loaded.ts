import { useEffect, useState } from 'preact/hooks';

/** What was asked for: what came last, and what went wrong last. */
export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: string | null;
  readonly isLoading: boolean;
}

/**
 * Loads something, again whenever one of `keys` is another. What came before stays until the new is there, so that nothing jumps; an answer that is overtaken is dropped.
 * Where `subject` is another, what came before is dropped, too.
 */
export function useLoaded<Value>(load: () => Promise<Value>, subject: string, keys: readonly unknown[]): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value> & { readonly subject: string }>({
    value: undefined,
    error: null,
    isLoading: true,
    subject,
  });
  useEffect(() => {
    let isOver = false;
    setState((old) => ({ value: old.subject === subject ? old.value : undefined, error: null, isLoading: true, subject }));
    load().then(
      (value) => isOver || setState({ value, error: null, isLoading: false, subject }),
      (error: unknown) =>
        isOver || setState((old) => ({ ...old, error: error instanceof Error ? error.message : String(error), isLoading: false })),
    );
    return () => {
      isOver = true;
    };
  }, [subject, ...keys]);
  return state.subject === subject ? state : { value: undefined, error: null, isLoading: true };
}
