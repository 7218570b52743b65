import { useEffect, useRef, useState } from 'preact/hooks';
import type { ByteRange, TextPiece } from '../../wire/turn-texts.ts';
import { toBytesText } from './words.ts';

interface TextViewProps {
  readonly label: string;
  /** Names the text: another one begins anew. */
  readonly subject: string;
  readonly load: (range: ByteRange) => Promise<TextPiece | null>;
  /** The byte that is to be seen first; `null`: the end. */
  readonly from: number | null;
  /** Grows when there may be more. */
  readonly version: number;
  /** What is said where there is nothing. */
  readonly missing: string;
}

interface ShownPiece {
  readonly text: string;
  readonly from: number;
  readonly next: number;
  readonly totalBytes: number;
  /** Its end was let go for what comes before: more is not put behind it by itself. */
  readonly isEndLost?: true;
}

/** Bytes that are asked for at once, and characters that are shown at most: more would make any browser slow. */
const PIECE = 48_000;
const MAX_SHOWN = 400_000;

/** A text of any size, a piece of it at a time: its end, and what comes before when it is asked for. */
export function TextView({ label, subject, load, from, version, missing }: TextViewProps) {
  const [shown, setShown] = useState<ShownPiece | null | undefined>(undefined);
  const [error, setError] = useState<string | null>(null);
  const box = useRef<HTMLElement>(null);
  const take = useTake(setShown, setError, `${subject} ${from}`);
  useEffect(() => {
    setShown(undefined);
    take(load(from === null ? { from: -PIECE, count: PIECE } : { from, count: PIECE }), (piece) => piece);
  }, [subject, from]);
  useEffect(() => {
    if (shown === undefined || (shown !== null && (from !== null || shown.isEndLost === true))) return;
    const order = shown === null ? { from: -PIECE, count: PIECE } : { from: shown.next, count: PIECE };
    take(load(order), (piece) => (piece === null || shown === null ? piece : append(shown, piece)));
  }, [version]);
  useEffect(() => {
    if (from === null && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [subject, shown === undefined]);
  if (error !== null) return <p class="problem">{error}</p>;
  if (shown === undefined) return <p class="faint">Loading …</p>;
  if (shown === null || (shown.totalBytes === 0 && shown.text === '')) return <p class="faint">{missing}</p>;
  const earlier = () =>
    take(load({ from: Math.max(0, shown.from - PIECE), count: Math.min(PIECE, shown.from) }), (piece) =>
      piece === null ? shown : prepend(shown, piece),
    );
  const later = () => take(load({ from: shown.next, count: PIECE }), (piece) => (piece === null ? shown : append(shown, piece)));
  return (
    <div class="text-view">
      {shown.from > 0 && (
        <button type="button" onClick={earlier}>
          Earlier ({toBytesText(shown.from)})
        </button>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section class="scroll" ref={box} tabIndex={0} aria-label={label}>
        <pre>{shown.text}</pre>
      </section>
      {shown.next < shown.totalBytes && (
        <button type="button" onClick={later}>
          Later ({toBytesText(shown.totalBytes - shown.next)})
        </button>
      )}
    </div>
  );
}

/** The latest of what is shown is let go where it is too much. */
function prepend(shown: ShownPiece, piece: TextPiece): ShownPiece {
  const text = piece.text + shown.text;
  const lost = new TextEncoder().encode(text.slice(MAX_SHOWN)).length;
  return {
    text: text.slice(0, MAX_SHOWN),
    from: piece.from,
    next: shown.next - lost,
    totalBytes: piece.totalBytes,
    ...((lost > 0 || shown.isEndLost === true) && { isEndLost: true }),
  };
}

/** The earliest of what is shown is let go where it is too much. */
function append(shown: ShownPiece, piece: TextPiece): ShownPiece {
  const text = shown.text + piece.text;
  const over = Math.max(0, text.length - MAX_SHOWN);
  const lost = over === 0 ? 0 : new TextEncoder().encode(text.slice(0, over)).length;
  return { text: text.slice(over), from: shown.from + lost, next: piece.next, totalBytes: piece.totalBytes };
}

type Take = (asked: Promise<TextPiece | null>, merge: (piece: TextPiece | null) => ShownPiece | null) => void;

/** Shows what was asked for, unless something else has been asked for since. */
function useTake(setShown: (shown: ShownPiece | null) => void, setError: (error: string | null) => void, subject: string): Take {
  const now = useRef(subject);
  now.current = subject;
  return (asked, merge) => {
    asked.then(
      (piece) => {
        if (now.current !== subject) return;
        setError(null);
        setShown(merge(piece));
      },
      (error: unknown) => now.current === subject && setError(error instanceof Error ? error.message : String(error)),
    );
  };
}
