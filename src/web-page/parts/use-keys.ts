import { useEffect, useRef } from 'preact/hooks';
import { createActionFinder, type KeyAction } from '../data/keys.ts';

/** Calls with the action of each key that is pressed outside of fields, where keys are letters, and of buttons that take the key themselves. */
export function useKeys(onAction: (action: KeyAction) => void): void {
  const call = useRef(onAction);
  call.current = onAction;
  useEffect(() => {
    const read = createActionFinder();
    const take = (event: KeyboardEvent): void => {
      if (event.altKey || event.metaKey || isField(event.target, event.key)) return;
      const action = read(event.key, event.ctrlKey);
      if (action === null) return;
      event.preventDefault();
      call.current(action);
    };
    addEventListener('keydown', take);
    return () => removeEventListener('keydown', take);
  }, []);
}

function isField(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.closest('dialog') !== null) return true;
  if (target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLInputElement) return target.type !== 'range' || key === ' ';
  return key === ' ' && target.closest('button, summary, a, pre, .rows') !== null;
}
