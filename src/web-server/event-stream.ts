import type { ServerResponse } from 'node:http';
import { beginEvents } from './answer.ts';

export interface EventStream {
  /** Sends what `make` gives, at once or, to a client that has not read what came before, as soon as it has: then only the newest that was offered. */
  readonly offer: (make: () => StreamEvent) => void;
  /** Ends it; with a last event where one is given. */
  readonly end: (last?: StreamEvent) => void;
}

export interface StreamEvent {
  readonly event: string;
  readonly id?: number;
  /** JSON, on one line. */
  readonly data: string;
}

/** How a stream keeps time, in milliseconds; tests are faster. */
export interface StreamTimes {
  /** Between two signs of life. */
  readonly pingMs: number;
  /** A client that reads nothing for so long is let go; it may come again and say what it has. */
  readonly stallMs: number;
}

const STREAM_TIMES: StreamTimes = { pingMs: 15_000, stallMs: 60_000 };

/** @param onEnd is called once, when the client is gone or the stream has ended */
export function openEventStream(response: ServerResponse, onEnd: () => void, { pingMs, stallMs }: StreamTimes = STREAM_TIMES): EventStream {
  let pending: (() => StreamEvent) | null = null;
  let stall: NodeJS.Timeout | null = null;
  const write = (event: StreamEvent): void => {
    if (response.write(toText(event)) || response.destroyed) return;
    stall ??= setTimeout(() => response.destroy(), stallMs);
  };
  const onDrain = (): void => {
    if (stall !== null) clearTimeout(stall);
    stall = null;
    const make = pending;
    pending = null;
    if (make !== null) write(make());
  };
  beginEvents(response);
  const pings = setInterval(() => {
    if (stall === null) write({ event: 'ping', data: '{}' });
  }, pingMs);
  response.on('drain', onDrain);
  response.on('error', () => undefined);
  response.once('close', () => {
    clearInterval(pings);
    if (stall !== null) clearTimeout(stall);
    pending = null;
    onEnd();
  });
  return {
    offer: (make) => {
      if (response.destroyed || response.writableEnded) return;
      if (stall === null) write(make());
      else pending = make;
    },
    end: (last) => {
      if (!response.writableEnded) response.end(last === undefined ? undefined : toText(last));
    },
  };
}

function toText({ event, id, data }: StreamEvent): string {
  return `event: ${event}\n${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`;
}
