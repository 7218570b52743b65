import { useState } from 'preact/hooks';

/** A button for what cannot be taken back: the first press names the effect, the second does it. */
export function Twice({ word, effect, isSure, act }: { word: string; effect: string; isSure?: boolean; act: () => Promise<unknown> }) {
  const [isAsked, setAsked] = useState(false);
  const press = (): void => {
    if (isSure === true || isAsked) {
      setAsked(false);
      void act();
    } else setAsked(true);
  };
  return (
    <button type="button" class={isAsked ? 'danger' : ''} onClick={press} onBlur={() => setAsked(false)}>
      {isAsked ? `${effect}? Press again` : word}
    </button>
  );
}
