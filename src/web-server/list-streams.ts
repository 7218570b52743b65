import type { ServerResponse } from 'node:http';
import { type EventStream, openEventStream, type StreamTimes } from './event-stream.ts';
import { toRefused } from './refused.ts';
import type { ServedRuns } from './served-runs.ts';
import { createThrottle } from './throttle.ts';

/** The list is not sent more often. */
const LIST_MS = 250;

export interface ListStreams {
  readonly add: (response: ServerResponse) => void;
  readonly count: () => number;
  readonly end: () => void;
}

export function createListStreams(source: Pick<ServedRuns, 'list' | 'onListChange'>, times?: StreamTimes): ListStreams {
  const streams = new Set<EventStream>();
  let stop: (() => void) | null = null;
  let sent = '';
  const send = (): void => {
    for (const stream of streams) stream.offer(() => ({ event: 'runs', data: sent }));
  };
  const look = async (): Promise<void> => {
    try {
      const list = await source.list();
      const before = toComparable(sent);
      sent = JSON.stringify(list);
      if (toComparable(sent) !== before) send();
    } catch (error) {
      const data = JSON.stringify(toRefused(error).refusal);
      for (const stream of [...streams]) stream.end({ event: 'refused', data });
    }
  };
  let throttle = createThrottle(LIST_MS, () => void look());
  return {
    add: (response) => {
      const stream = openEventStream(
        response,
        () => {
          streams.delete(stream);
          if (streams.size > 0) return;
          stop?.();
          stop = null;
          sent = '';
          throttle.end();
          throttle = createThrottle(LIST_MS, () => void look());
        },
        times,
      );
      streams.add(stream);
      if (sent !== '') stream.offer(() => ({ event: 'runs', data: sent }));
      else throttle.want();
      stop ??= source.onListChange(() => throttle.want());
    },
    count: () => streams.size,
    end: () => {
      for (const stream of [...streams]) stream.end();
    },
  };
}

/** A clock that went on is no change: `at` is the time of the list. */
function toComparable(list: string): string {
  return list.replace(/"at":\d+,"canSteer"/, '');
}
