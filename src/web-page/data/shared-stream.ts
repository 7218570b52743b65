import type { ErrorBody } from '../../wire/orders.ts';
import { createEventReader } from './event-lines.ts';
import { fetchWith, NO_ANSWER, readErrorText, toErrorBodyText } from './fetch-with.ts';
import type { TellLink } from './page-source.ts';
import type { KeptToken } from './session.ts';

/** A stream of the server that tabs of one browser share. */
export interface SharedStream {
  /** The same for the same stream. */
  readonly name: string;
  readonly path: string;
  /** The event that brings news. */
  readonly event: string;
  readonly token: KeptToken;
}

/** A browser opens six connections to a server, for all of its tabs: more streams than this would leave none for anything else. */
const STREAMS = 3;
const RETRY_MS = [250, 500, 1000, 2000];
/** The server says something every 15 seconds; a stream that is silent for longer is gone. */
const SILENT_MS = 35_000;
/** How often a tab that may not stream asks. */
const POLL_MS = 1000;

/**
 * Follows a stream. One tab of the browser reads it and tells the others; a tab for which there is no stream left asks each second instead.
 *
 * @returns a function that ends it
 */
export function followShared<Value>(stream: SharedStream, call: (value: Value) => void, tell: TellLink): () => void {
  const { locks } = navigator as Partial<Pick<Navigator, 'locks'>>;
  if (locks === undefined) return followAlone(stream, call, tell);
  const end = new AbortController();
  const channel = new BroadcastChannel(`ralph-stream-${stream.name}`);
  let last: Value | undefined;
  const take = (value: Value): void => {
    if (end.signal.aborted) return;
    last = value;
    call(value);
  };
  channel.onmessage = ({ data }: MessageEvent<{ readonly ask?: true; readonly value?: Value; readonly problem?: string | null }>) => {
    if (data.value !== undefined) take(data.value);
    if (data.problem !== undefined) tell(data.problem);
    if (data.ask === true && isReader && last !== undefined) channel.postMessage({ value: last });
  };
  let isReader = false;
  const share = (value: Value): void => {
    take(value);
    channel.postMessage({ value });
  };
  const link = (problem: string | null): void => {
    if (end.signal.aborted) return;
    tell(problem);
    channel.postMessage({ problem });
  };
  channel.postMessage({ ask: true });
  const lead = async (): Promise<void> => {
    isReader = true;
    await takeSlot(end.signal, (hasSlot) => readLoop({ stream, share, link, end: end.signal, isOnce: !hasSlot }));
  };
  locks.request(`ralph-stream-${stream.name}`, { signal: end.signal }, lead).catch(() => undefined);
  return () => {
    end.abort();
    channel.close();
  };
}

/** A browser lets only pages of this machine, and such as came encrypted, agree on who reads: everywhere else each tab reads for itself. */
function followAlone<Value>(stream: SharedStream, call: (value: Value) => void, tell: TellLink): () => void {
  const end = new AbortController();
  const { signal } = end;
  const share = (value: Value): void => (signal.aborted ? undefined : call(value));
  const link: TellLink = (problem) => (signal.aborted ? undefined : tell(problem));
  void readLoop({ stream, share, link, end: signal, isOnce: false });
  return () => end.abort();
}

/** Runs `work` with one of the streams of this browser; where none is left, without one, until one is. */
async function takeSlot(end: AbortSignal, work: (hasSlot: boolean) => Promise<void>): Promise<void> {
  while (!end.aborted) {
    let ran = false;
    for (let slot = 0; slot < STREAMS && !ran; slot += 1) {
      await navigator.locks.request(`ralph-slot-${slot}`, { ifAvailable: true }, async (lock) => {
        if (lock === null) return;
        ran = true;
        await work(true);
      });
    }
    if (!ran) {
      await work(false);
      await pause(POLL_MS, end);
    }
  }
}

interface StreamReadOrder<Value> {
  readonly stream: SharedStream;
  readonly share: (value: Value) => void;
  readonly link: TellLink;
  readonly end: AbortSignal;
  /** Ends the stream after its first message. */
  readonly isOnce: boolean;
}

/** Reads the stream, again and again where it breaks, until it is to end. */
async function readLoop<Value>(order: StreamReadOrder<Value>): Promise<void> {
  for (let failures = 0; !order.end.aborted; failures += 1) {
    const { hasAnswered, problem } = await readOnce(order).catch((): SharedStreamEnd => ({ hasAnswered: false, problem: NO_ANSWER }));
    if (order.end.aborted) return;
    if (problem !== null) order.link(problem);
    if (order.isOnce) return;
    if (hasAnswered) failures = -1;
    await pause(RETRY_MS[Math.min(Math.max(failures, 0), RETRY_MS.length - 1)] ?? 0, order.end);
  }
}

/** How a stream ended. `problem`: why, a sentence; `null`: it was to. */
interface SharedStreamEnd {
  readonly hasAnswered: boolean;
  readonly problem: string | null;
}

async function readOnce<Value>({ stream, share, link, end, isOnce }: StreamReadOrder<Value>): Promise<SharedStreamEnd> {
  const silence = new AbortController();
  const signal = AbortSignal.any([end, silence.signal]);
  const response = await fetchWith(stream.token, stream.path, { signal });
  if (!response.ok || response.body === null) return { hasAnswered: false, problem: await readErrorText(response) };
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const read = createEventReader();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      for (const { event, data } of read(piece.value)) {
        if (event === 'refused') return { hasAnswered: true, problem: toErrorBodyText(JSON.parse(data) as ErrorBody) };
        link(null);
        if (event !== stream.event) continue;
        share(JSON.parse(data) as Value);
        if (!isOnce) continue;
        silence.abort();
        return { hasAnswered: true, problem: null };
      }
    }
  } finally {
    clearTimeout(timer);
  }
  return { hasAnswered: true, problem: NO_ANSWER };
}

function pause(ms: number, end: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      clearTimeout(timer);
      end.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(stop, ms);
    end.addEventListener('abort', stop);
  });
}
