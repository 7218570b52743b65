import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type KeyAction, type PageKey, toKeyText } from '../data/keys.ts';

interface KeyViewProps {
  /** `help`: all keys; `palette`: those whose words fit what is typed. */
  readonly kind: 'help' | 'palette';
  readonly keys: readonly PageKey[];
  readonly onAction: (action: KeyAction) => void;
  readonly onClose: () => void;
}

/** The table of keys, and the same table as a list of actions to choose from. */
export function KeyView({ kind, keys, onAction, onClose }: KeyViewProps) {
  const box = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  // Before anything else can be pressed: a key that comes between would be lost.
  useLayoutEffect(() => box.current?.showModal(), []);
  const rows = keys.filter(({ text }) => text.includes(words.toLowerCase()));
  const choose = (action: KeyAction): void => {
    // While it is open nothing behind it takes the focus.
    box.current?.close();
    onClose();
    onAction(action);
  };
  return (
    <dialog ref={box} onClose={onClose} aria-label={kind === 'help' ? 'Keys' : 'Actions'}>
      <form
        method="dialog"
        onSubmit={(event) => {
          const [first] = rows;
          if (kind !== 'palette' || first === undefined) return;
          event.preventDefault();
          choose(first.action);
        }}
      >
        {kind === 'palette' && (
          <label>
            What <input type="text" value={words} onInput={(event) => setWords(event.currentTarget.value)} />
          </label>
        )}
        <ul class="keys">
          {rows.map(({ key, action, text }) => (
            <li key={key}>
              <kbd>{toKeyText(key)}</kbd>{' '}
              <button type="button" class="link" onClick={() => choose(action)}>
                {text}
              </button>
            </li>
          ))}
        </ul>
        <button type="submit">{kind === 'help' ? 'Close' : 'Do the first'}</button>
      </form>
    </dialog>
  );
}
