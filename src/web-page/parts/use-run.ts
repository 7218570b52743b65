import { useEffect, useRef, useState } from 'preact/hooks';
import type { FrameNews } from '../../wire/frame-news.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { RunSource } from '../data/page-source.ts';

/** A run as the page follows it. */
export interface FollowedRun {
  /** The run now; `null` before the first answer. */
  readonly live: RunFrame | null;
  /** The run at the moment that is looked at. */
  readonly shown: RunFrame | null;
  /** Why no news arrive; `null`: they do. */
  readonly problem: string | null;
  readonly error: string | null;
  /** Grows with each news. */
  readonly version: number;
}

const NOTHING: FollowedRun = { live: null, shown: null, problem: null, error: null, version: 0 };

/** Follows a run, and looks it up at `seq` (`null`: now). Of several moments asked for at once only the last one is shown. */
export function useRun(source: RunSource, seq: number | null): FollowedRun {
  const [state, setState] = useState(NOTHING);
  useEffect(() => {
    setState(NOTHING);
    const take = ({ frame }: FrameNews): void => setState((old) => ({ ...old, live: frame, version: old.version + 1 }));
    return source.follow(take, (problem) => setState((old) => (old.problem === problem ? old : { ...old, problem })));
  }, [source]);
  const past = usePast(source, seq);
  const isNow = seq === null || (state.live !== null && seq >= state.live.lastSeq);
  return { ...state, shown: isNow ? state.live : (past.frame ?? state.live), error: past.error };
}

interface Past {
  readonly frame: RunFrame | null;
  readonly error: string | null;
}

/** At most one moment is asked for at a time: while the slider is drawn over many, those between are left out. */
function usePast(source: RunSource, seq: number | null): Past {
  const [past, setPast] = useState<Past>({ frame: null, error: null });
  const wanted = useRef<number | null>(seq);
  const isAsking = useRef(false);
  wanted.current = seq;
  useEffect(() => {
    if (seq === null) return setPast({ frame: null, error: null });
    if (isAsking.current) return;
    isAsking.current = true;
    const ask = async (): Promise<void> => {
      let asked: number | null = null;
      while (wanted.current !== null && wanted.current !== asked) {
        asked = wanted.current;
        try {
          const frame = await source.frame(asked);
          if (wanted.current !== null) setPast({ frame, error: null });
        } catch (error) {
          setPast({ frame: null, error: error instanceof Error ? error.message : String(error) });
        }
      }
      isAsking.current = false;
    };
    void ask();
  }, [source, seq]);
  return past;
}
