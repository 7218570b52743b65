import { useState } from 'preact/hooks';

interface TwiceProps {
  /** Absent: no key goes to it. */
  readonly id?: string;
  readonly word: string;
  /** What comes of it, for who rests on it. */
  readonly title?: string;
  readonly effect: string;
  readonly isSure?: boolean;
  readonly act: () => Promise<unknown>;
}

/** A button for what cannot be taken back: the first press names the effect, the second does it. */
export function Twice({ id, word, title, effect, isSure, act }: TwiceProps) {
  const [isAsked, setAsked] = useState(false);
  const press = (): void => {
    if (isSure === true || isAsked) {
      setAsked(false);
      void act();
    } else setAsked(true);
  };
  return (
    <button
      type="button"
      class={isAsked ? 'danger' : ''}
      onClick={press}
      onBlur={() => setAsked(false)}
      {...(id !== undefined && { id })}
      {...(title !== undefined && { title })}
    >
      {isAsked ? `${effect}? Press again` : word}
    </button>
  );
}
