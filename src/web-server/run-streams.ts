import type { ServerResponse } from 'node:http';
import { toRunFrame } from '../views/frame/run-frame.ts';
import type { WatchedRun } from '../views/frame/watched-run.ts';
import { type EventStream, openEventStream, type StreamEvent, type StreamTimes } from './event-stream.ts';
import type { OpenRuns } from './open-runs.ts';
import { toRefused } from './refused.ts';
import { createThrottle } from './throttle.ts';

/** Frames are not sent more often. */
const FRAME_MS = 30;

/** The streams of runs: each run is looked at once, however many look at it. */
export interface RunStreams {
  /**
   * Tells a client of a run from now on.
   *
   * @param from the last input that it knows; `undefined`: it knows nothing
   */
  readonly add: (response: ServerResponse, run: WatchedRun, key: string, from: number | undefined) => void;
  readonly count: () => number;
  readonly end: () => void;
}

interface Client {
  readonly stream: EventStream;
  /** The last input that it was told of. */
  seq: number;
}

export function createRunStreams(runs: OpenRuns, times?: StreamTimes): RunStreams {
  const watches = new Map<string, RunStream>();
  return {
    add: (response, run, key, from) => {
      const watch = watches.get(key) ?? watchRun(runs, run, key, () => watches.delete(key));
      watches.set(key, watch);
      watch.add(response, from, times);
    },
    count: () => [...watches.values()].reduce((sum, watch) => sum + watch.clients.size, 0),
    end: () => {
      for (const watch of [...watches.values()]) for (const { stream } of [...watch.clients]) stream.end();
    },
  };
}

interface RunStream {
  readonly clients: ReadonlySet<Client>;
  readonly add: (response: ServerResponse, from: number | undefined, times: StreamTimes | undefined) => void;
}

function watchRun(runs: OpenRuns, run: WatchedRun, key: string, onEmpty: () => void): RunStream {
  const { history } = run;
  const clients = new Set<Client>();
  const release = runs.hold(key);
  let frame = '';
  const toNews = (client: Client): StreamEvent => {
    const { turns, firstEvent } = history.changes(client.seq);
    client.seq = history.lastSeq();
    return { event: 'frame', id: client.seq, data: `{"frame":${frame},"turns":${JSON.stringify(turns)},"firstEvent":${firstEvent}}` };
  };
  const look = (): void => {
    try {
      const hasMore = run.refresh(FRAME_MS);
      const before = toComparable(frame);
      frame = runs.look(key, () => JSON.stringify(toRunFrame(history, run.facts())));
      if (toComparable(frame) !== before) for (const client of clients) client.stream.offer(() => toNews(client));
      if (hasMore) throttle.want();
    } catch (error) {
      const data = JSON.stringify(toRefused(error).refusal);
      for (const { stream } of [...clients]) stream.end({ event: 'refused', data });
    }
  };
  const throttle = createThrottle(FRAME_MS, look);
  let stop: (() => void) | null = null;
  const leave = (client: Client): void => {
    clients.delete(client);
    if (clients.size > 0) return;
    stop?.();
    throttle.end();
    release();
    onEmpty();
  };
  return {
    clients,
    add: (response, from, times) => {
      const lastSeq = history.lastSeq();
      // One that knows more than there is knows another journal.
      const seq = from === undefined ? lastSeq : from > lastSeq ? 0 : from;
      const client: Client = { seq, stream: openEventStream(response, () => leave(client), times) };
      clients.add(client);
      if (frame !== '') client.stream.offer(() => toNews(client));
      // Its first look makes the first frame.
      stop ??= run.onChange(throttle.want);
    },
  };
}

/** A clock that went on is no change. */
function toComparable(frame: string): string {
  return frame.replace(/"elapsedMs":\d+/, '');
}
