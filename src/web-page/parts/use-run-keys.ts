import { useState } from 'preact/hooks';
import type { RunFrame } from '../../wire/run-frame.ts';
import { type KeyAction, listKeys } from '../data/keys.ts';
import type { RunSource } from '../data/page-source.ts';
import { NO_ROUTE, PAGE_TABS, type PageRoute } from '../data/route.ts';
import { useKeys } from './use-keys.ts';

interface KeyWorld {
  readonly shown: RunFrame;
  readonly live: RunFrame;
  readonly route: PageRoute;
  readonly go: (route: Partial<PageRoute>, isNew?: boolean) => void;
  readonly source: RunSource;
  /** False in a file. */
  readonly isLive: boolean;
  readonly place: number;
  readonly seek: (seq: number | null) => void;
  readonly play: () => void;
}

/** More turns do not begin with one input. */
const TURNS_AROUND = 100;

function focus(id: string): void {
  document.getElementById(id)?.focus();
}

/** Goes to the words to be told, with the time at which they are to be said chosen. */
function focusTell(when: 'now' | 'next'): void {
  const choice = document.getElementById('tell-when');
  if (choice instanceof HTMLSelectElement) {
    choice.value = when;
    choice.dispatchEvent(new Event('change', { bubbles: true }));
  }
  focus('tell-text');
}

/** What each key does on this page. */
export function useRunKeys({ shown, live, place, route, go, seek, play, source, isLive }: KeyWorld) {
  const [open, setOpen] = useState<'help' | 'palette' | null>(null);
  const seekTurn = async (step: number): Promise<void> => {
    const { rows } = await source.turns({ from: Math.max(0, shown.turnCount - TURNS_AROUND), count: 2 * TURNS_AROUND });
    const starts = rows.map(({ startSeq }) => startSeq);
    const next = step > 0 ? starts.find((start) => start > shown.seq) : starts.findLast((start) => start < shown.seq);
    if (next !== undefined) seek(next);
    else if (step > 0) seek(null);
  };
  const seekBy = (step: number): void => {
    // From where the person has gone to: what is shown may still be on its way there.
    const next = (route.seq ?? live.lastSeq) + step;
    seek(next >= live.lastSeq ? null : Math.max(1, next));
  };
  const goTab = (step: number): void => {
    const next = (PAGE_TABS.indexOf(route.tab) + step + PAGE_TABS.length) % PAGE_TABS.length;
    go({ tab: PAGE_TABS[next] ?? 'why', from: null });
  };
  const actions: Readonly<Record<KeyAction, () => void>> = {
    'older-turn': () => go({ turn: Math.max(0, place - 1), from: null }),
    'newer-turn': () => go({ turn: Math.min(shown.turnCount - 1, place + 1), from: null }),
    'step-back': () => seekBy(-1),
    'step-on': () => seekBy(1),
    'turn-back': () => void seekTurn(-1),
    'turn-on': () => void seekTurn(1),
    live: () => seek(null),
    play,
    'tab-back': () => goTab(-1),
    'tab-on': () => goTab(1),
    search: () => focus('search-words'),
    'tell-next': () => focusTell('next'),
    'tell-now': () => focusTell('now'),
    answer: () => focus('answers'),
    stop: () => focus('stop'),
    runs: () => go(NO_ROUTE, true),
    'go-turns': () => focus('turns'),
    'go-events': () => focus('events'),
    'go-evidence': () => focus('evidence'),
    'go-flow': () => focus('flow'),
    help: () => setOpen('help'),
    palette: () => setOpen('palette'),
  };
  const act = (action: KeyAction): void => actions[action]();
  useKeys(act);
  const keys = listKeys({ canSteer: source.order !== null, hasServer: isLive });
  return { open, keys, act, close: () => setOpen(null) };
}
