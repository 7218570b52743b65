import { useEffect, useMemo, useState } from 'preact/hooks';
import type { RunFrame, SearchHit } from '../../views/frame/index.ts';
import type { KeyAction } from '../data/keys.ts';
import type { RunSource } from '../data/page-source.ts';
import { NO_ROUTE, type Route, TURN_TABS } from '../data/route.ts';
import { RowWindow } from '../parts/row-window.tsx';
import { useKeys } from '../parts/use-keys.ts';
import { useLoaded } from '../parts/use-loaded.ts';
import { useNow } from '../parts/use-now.ts';
import { useRun } from '../parts/use-run.ts';
import { EvidenceView } from './evidence-view.tsx';
import { GraphView } from './graph-view.tsx';
import { HatsView } from './hats-view.tsx';
import { KeyView } from './key-view.tsx';
import { NowView } from './now-view.tsx';
import { RunHeader } from './run-header.tsx';
import { EventLine, TurnLine } from './run-rows.tsx';
import { SearchView } from './search-view.tsx';
import { SteerView } from './steer-view.tsx';
import { TimelineView } from './timeline-view.tsx';
import { TurnView } from './turn-view.tsx';
import { WholeDiff } from './whole-diff.tsx';

interface RunPageProps {
  readonly source: RunSource;
  readonly isLive: boolean;
  readonly route: Route;
  readonly go: (route: Partial<Route>, isNew?: boolean) => void;
}

const SLOTS = 160;

/** A run: what it needs, its flow, its evidence, its turns, one turn, and the line of time to move in. */
export function RunPage({ source, isLive, route, go }: RunPageProps) {
  const { shown, live, isLinked, error, version } = useRun(source, route.seq);
  const now = useNow(isLive && live?.end === null);
  if (shown === null || live === null)
    return (
      <main>
        {error === null && isLinked ? <p>Loading …</p> : <p class="problem">{error ?? 'No answer from the server. It is asked again.'}</p>}
      </main>
    );
  return <LoadedRun {...{ source, isLive, route, go, shown, live, isLinked, error, version }} now={isLive ? now : live.at} />;
}

interface LoadedRunProps extends RunPageProps {
  readonly shown: RunFrame;
  readonly live: RunFrame;
  readonly isLinked: boolean;
  readonly error: string | null;
  readonly version: number;
  readonly now: number;
}

function LoadedRun({ source, isLive, route, go, shown, live, isLinked, error, version, now }: LoadedRunProps) {
  const moment = shown.isNow ? 'now' : String(shown.seq);
  const seq = shown.isNow ? undefined : shown.seq;
  const place = Math.min(route.turn ?? shown.turnCount - 1, shown.turnCount - 1);
  // Edges of a run's graph are few; where a new one comes up, it is laid out anew.
  const picture = useLoaded(source.picture, source.key, [live.graph?.edges.length, live.graph?.nodes.length]);
  const slots = useLoaded(() => source.timeline(SLOTS), source.key, [live.lastSeq]);
  const detail = useLoaded(() => (place < 0 ? Promise.resolve(null) : source.turn(place, seq)), `${source.key} ${place}`, [
    moment,
    version,
  ]);
  const hats = useMemo(() => live.hats.map(({ id }) => id), [live.hats.length]);
  const seek = (to: number | null): void => go({ seq: to }, route.seq === null && to !== null);
  const { isPlaying, play } = usePlay(shown, live, seek);
  const keys = useRunKeys({ shown, live, place, route, go, seek, play, source });
  return (
    <>
      <main class="run">
        <RunHeader frame={shown} isLinked={isLinked} />
        {error !== null && <p class="problem">{error}</p>}
        <div class="top">
          <NowView frame={shown} now={shown.isNow ? now : shown.at} />
          <section aria-labelledby="evidence-title" id="evidence" tabIndex={-1}>
            <h2 id="evidence-title">Evidence</h2>
            <EvidenceView frame={shown} source={source} />
          </section>
        </div>
        <SteerView frame={shown} source={source} now={now} />
        <div class="middle">
          <section aria-labelledby="flow-title" id="flow" tabIndex={-1}>
            <h2 id="flow-title">Flow</h2>
            <GraphView picture={picture.value ?? null} frame={shown} />
            <h2>Hats</h2>
            <HatsView frame={shown} />
          </section>
          <div class="lists">
            <section aria-labelledby="turns-title" id="turns" tabIndex={-1}>
              <h2 id="turns-title">
                Turns <span class="count">{shown.turnCount}</span>
              </h2>
              <RowWindow
                label="Turns"
                total={shown.turnCount}
                subject={`${source.key} ${moment}`}
                version={shown.isNow ? version : 0}
                load={(from, count) => source.turns({ from, count, seq })}
                selected={place}
                rowOf={(row) => (
                  <TurnLine row={row} isSelected={row.place === place} onSelect={() => go({ turn: row.place, from: null }, true)} />
                )}
              />
            </section>
            <section aria-labelledby="events-title" id="events" tabIndex={-1}>
              <h2 id="events-title">
                Events <span class="count">{shown.eventCount}</span>
              </h2>
              <RowWindow
                label="Events"
                total={shown.eventCount}
                subject={`${source.key} events ${moment}`}
                version={0}
                load={(from, count) => source.events({ from, count, seq })}
                selected={null}
                rowOf={(row) => <EventLine row={row} onSeek={() => seek(row.seq)} />}
              />
            </section>
          </div>
        </div>
        {detail.value !== undefined && detail.value !== null && (
          <TurnView
            source={source}
            detail={detail.value}
            tab={route.tab}
            from={route.from}
            version={version}
            onTab={(tab) => go({ tab, from: null })}
          />
        )}
        <WholeDiff source={source} />
        <SearchView
          source={source}
          words={route.words}
          onWords={(words) => go({ words }, true)}
          onHit={(hit) => void openHit(hit, { source, go, live })}
        />
      </main>
      <TimelineView slots={slots.value ?? []} frame={shown} hats={hats} isLive={isLive} isPlaying={isPlaying} onSeek={seek} onPlay={play} />
      {keys.open !== null && <KeyView kind={keys.open} onAction={keys.act} onClose={keys.close} />}
      <Speaker text={`${live.attention.state.replace('_', ' ')}: ${live.attention.evidence}`} />
    </>
  );
}

/** Opens the turn of a line that was found, at that line. */
async function openHit(hit: SearchHit, { source, go, live }: Pick<LoadedRunProps, 'source' | 'go' | 'live'>): Promise<void> {
  const place = await findPlace(source, hit.turn, live.turnCount);
  if (place !== null) go({ seq: null, turn: place, tab: hit.part === 'prompt' ? 'prompt' : 'output', from: hit.fromByte }, true);
}

/** Turns stand in the order of their iterations, so that the place is near; attempts of the same iteration stand behind one another. */
async function findPlace(source: RunSource, name: string, total: number): Promise<number | null> {
  const iteration = Number(name.split('.')[0]);
  let [low, high] = [0, total - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const { rows } = await source.turns({ from: Math.max(0, middle - 20), count: 40 });
    const found = rows.find((row) => row.name === name);
    if (found !== undefined) return found.place;
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return null;
    if (iteration < first.iteration) high = middle - 20;
    else if (iteration > last.iteration) low = middle + 20;
    else return null;
  }
  return null;
}

const PLAY_MS = 250;

/** Plays the run on from the moment that is looked at, an input after another, in half a minute at most. */
function usePlay(shown: RunFrame, live: RunFrame, seek: (seq: number | null) => void) {
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

interface KeyWorld extends Pick<LoadedRunProps, 'shown' | 'live' | 'route' | 'go' | 'source'> {
  readonly place: number;
  readonly seek: (seq: number | null) => void;
  readonly play: () => void;
}

/** What each key does on this page. */
function useRunKeys({ shown, live, place, route, go, seek, play, source }: KeyWorld) {
  const [open, setOpen] = useState<'help' | 'palette' | null>(null);
  const focus = (id: string): void => document.getElementById(id)?.focus();
  const seekTurn = async (step: number): Promise<void> => {
    const { rows } = await source.turns({ from: 0, count: 500 });
    const starts = rows.map(({ startSeq }) => startSeq);
    const next = step > 0 ? starts.find((start) => start > shown.seq) : starts.findLast((start) => start < shown.seq);
    if (next !== undefined) seek(next);
    else if (step > 0) seek(null);
  };
  const seekBy = (step: number): void => {
    const next = shown.seq + step;
    seek(next >= live.lastSeq ? null : Math.max(1, next));
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
    tab: () => go({ tab: TURN_TABS[(TURN_TABS.indexOf(route.tab) + 1) % TURN_TABS.length] ?? 'why', from: null }),
    search: () => focus('search-words'),
    tell: () => focus('tell-text'),
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
  return { open, act, close: () => setOpen(null) };
}

const SPEAK_MS = 5000;

/** Tells those who listen what the run needs, at most every five seconds. */
function Speaker({ text }: { readonly text: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setSaid(text), said === '' ? 0 : SPEAK_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="hidden" aria-live="polite">
      {said}
    </p>
  );
}
