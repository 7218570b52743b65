import { useEffect, useState } from 'preact/hooks';
import type { RunFrame } from '../../wire/run-frame.ts';

const PLAY_MS = 250;

/** Plays the run on from the moment that is looked at, an input after another, in half a minute at most. */
export function usePlay(shown: RunFrame, live: RunFrame, seek: (seq: number | null) => void) {
  const [isPlaying, setPlaying] = useState(false);
  const { seq, isNow } = shown;
  const step = Math.max(1, Math.ceil(live.lastSeq / 120));
  useEffect(() => {
    if (!isPlaying) return;
    const timer = setTimeout(() => {
      if (isNow || seq + step >= live.lastSeq) {
        setPlaying(false);
        seek(null);
      } else seek(seq + step);
    }, PLAY_MS);
    return () => clearTimeout(timer);
  }, [isPlaying, seq, isNow]);
  const play = (): void => {
    if (!isPlaying && isNow) seek(1);
    setPlaying(!isPlaying);
  };
  return { isPlaying, play };
}
