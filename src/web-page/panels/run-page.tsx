import { useMemo } from 'preact/hooks';
import { toStateText } from '../../views/report/attention.ts';
import type { RunFrame } from '../../wire/run-frame.ts';
import type { SearchHit } from '../../wire/turn-texts.ts';
import { findTurn } from '../data/find-turn.ts';
import type { RunSource } from '../data/page-source.ts';
import type { PageRoute } from '../data/route.ts';
import { RowWindow } from '../parts/row-window.tsx';
import { Speaker } from '../parts/speaker.tsx';
import { useLoaded } from '../parts/use-loaded.ts';
import { useNow } from '../parts/use-now.ts';
import { type Act, useOrders } from '../parts/use-orders.ts';
import { usePlay } from '../parts/use-play.ts';
import { useRun } from '../parts/use-run.ts';
import { useRunKeys } from '../parts/use-run-keys.ts';
import { EvidenceView } from './evidence-view.tsx';
import { GraphView } from './graph-view.tsx';
import { HatsView } from './hats-view.tsx';
import { KeyView } from './key-view.tsx';
import { NowView } from './now-view.tsx';
import { RunHeader } from './run-header.tsx';
import { ToldEventLine, TurnLine } from './run-rows.tsx';
import { SearchView } from './search-view.tsx';
import { SteerView } from './steer-view.tsx';
import { TimelineView } from './timeline-view.tsx';
import { TurnDetailView } from './turn-detail-view.tsx';
import { WholeDiff } from './whole-diff.tsx';

interface RunPageProps {
  readonly source: RunSource;
  readonly isLive: boolean;
  readonly route: PageRoute;
  readonly go: (route: Partial<PageRoute>, isNew?: boolean) => void;
}

const SLOTS = 160;

/** A run: what it needs, its flow, its evidence, its turns, one turn, and the line of time to move in. */
export function RunPage({ source, isLive, route, go }: RunPageProps) {
  const { shown, live, problem, error, version } = useRun(source, route.seq);
  const now = useNow(isLive && live?.end === null);
  if (shown === null || live === null)
    return <main>{error === null && problem === null ? <p>Loading …</p> : <p class="problem">{error ?? problem}</p>}</main>;
  return <LoadedRun {...{ source, isLive, route, go, shown, live, problem, error, version }} now={source.asOf ?? now} />;
}

interface LoadedRunProps extends RunPageProps {
  readonly shown: RunFrame;
  readonly live: RunFrame;
  readonly problem: string | null;
  readonly error: string | null;
  readonly version: number;
  readonly now: number;
}

function LoadedRun({ source, isLive, route, go, shown, live, problem, error, version, now }: LoadedRunProps) {
  const seq = shown.isNow ? undefined : shown.seq;
  const place = Math.min(route.turn ?? shown.turnCount - 1, shown.turnCount - 1);
  const slots = useLoaded(() => source.timeline(SLOTS), source.key, [live.lastSeq]);
  const detail = useLoaded(() => (place < 0 ? Promise.resolve(null) : source.turn(place, seq)), `${source.key} ${place}`, [seq, version]);
  const hats = useMemo(() => live.hats.map(({ id }) => id), [live.hats.length]);
  const seek = (to: number | null): void => go({ seq: to }, route.seq === null && to !== null);
  const { isPlaying, play } = usePlay(shown, live, seek);
  const openHit = async (hit: SearchHit): Promise<void> => {
    const found = await findTurn(source, hit.turn, live.turnCount);
    if (found !== null) go({ seq: null, turn: found, tab: hit.part === 'prompt' ? 'prompt' : 'output', from: hit.fromByte }, true);
  };
  const orders = useOrders(source, shown.isNow);
  const keys = useRunKeys({ shown, live, place, route, go, seek, play, source, isLive });
  return (
    <>
      <main class="run">
        <RunHeader frame={shown} problem={problem} asOf={source.asOf} isOver={live.end !== null} damage={source.damage} />
        {error !== null && <p class="problem">{error}</p>}
        <RunTop shown={shown} source={source} now={now} act={orders.act} />
        <SteerView frame={shown} orders={orders} />
        <RunMiddle
          {...{ shown, live, source, version, now: shown.isNow ? now : shown.at, place: route.turn === null ? null : place, seq, seek, go }}
        />
        {detail.value !== undefined && detail.value !== null && (
          <TurnDetailView
            source={source}
            detail={detail.value}
            tab={route.tab}
            from={route.from}
            version={version}
            isPast={!shown.isNow}
            onTab={(tab) => go({ tab, from: null })}
          />
        )}
        <WholeDiff source={source} />
        <SearchView source={source} words={route.words} onWords={(words) => go({ words }, true)} onHit={(hit) => void openHit(hit)} />
      </main>
      <TimelineView
        slots={slots.value ?? []}
        frame={shown}
        wanted={route.seq ?? live.lastSeq}
        hats={hats}
        isLive={isLive && live.end === null}
        isPlaying={isPlaying}
        onSeek={seek}
        onPlay={play}
      />
      {keys.open !== null && <KeyView kind={keys.open} keys={keys.keys} onAction={keys.act} onClose={keys.close} />}
      <Speaker text={`${live.state === 'waiting' ? live.word : toStateText(live.attention.state)}: ${live.attention.evidence}`} />
    </>
  );
}

function RunTop({ shown, source, now, act }: Pick<LoadedRunProps, 'shown' | 'source' | 'now'> & { readonly act: Act | null }) {
  return (
    <div class="top">
      <NowView frame={shown} now={shown.isNow ? now : shown.at} act={act} />
      <section aria-labelledby="evidence-title" id="evidence" tabIndex={-1}>
        <h2 id="evidence-title">Evidence</h2>
        <EvidenceView frame={shown} source={source} />
      </section>
    </div>
  );
}

interface RunMiddleProps extends Pick<LoadedRunProps, 'shown' | 'live' | 'source' | 'version' | 'now' | 'go'> {
  /** The turn that somebody has chosen; `null`: nobody has. */
  readonly place: number | null;
  readonly seq: number | undefined;
  readonly seek: (seq: number | null) => void;
}

function RunMiddle({ shown, live, source, version, now, place, seq, seek, go }: RunMiddleProps) {
  const moment = seq === undefined ? 'now' : String(seq);
  // Edges of a run's graph are few; where a new one comes up, it is laid out anew.
  const picture = useLoaded(source.picture, source.key, [live.graph?.edges.length, live.graph?.nodes.length]);
  return (
    <div class="middle">
      <section aria-labelledby="flow-title" id="flow" tabIndex={-1}>
        <h2 id="flow-title">Flow</h2>
        <GraphView picture={picture.value ?? null} frame={shown} />
        <h2>Hats</h2>
        <HatsView frame={shown} now={now} />
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
            rowOf={(row) => <ToldEventLine row={row} onSeek={() => seek(row.seq)} />}
          />
        </section>
      </div>
    </div>
  );
}
