import { isJsonObject, type Json } from '../core/values/json.ts';
import { type McpResult, toReason, toWireResult } from './mcp-tool.ts';

export type RequestId = string | number;

/** A call whose result may take long. */
export interface WaitingCall {
  readonly id: RequestId;
  /** `_meta` of its parameters, unchecked: a `progressToken` in it asks to be told that the call goes on. */
  readonly meta: Json | undefined;
  /** `signal`: nobody wants the result any more. */
  readonly call: (signal: AbortSignal) => Promise<McpResult>;
}

export interface WaitingCalls {
  /** Starts one; false where too many wait already, or one has this id. */
  readonly begin: (call: WaitingCall) => boolean;
  /** The client has given up on it: it gets no answer. */
  readonly cancel: (id: RequestId) => void;
  /** Gives up on all of them; resolves when none runs any more. */
  readonly end: () => Promise<void>;
}

/** As many questions as one turn may have open at the same time. */
const MAX_WAITING = 20;
/** Clients that wait for as long as they are told of progress give up after a minute without. */
const PROGRESS_EVERY_MS = 10_000;

/**
 * Starts with none.
 *
 * @param write writes one message to the client; never rejects
 */
export function createWaitingCalls(write: (message: Json) => Promise<void>, progressEveryMs = PROGRESS_EVERY_MS): WaitingCalls {
  const running = new Map<RequestId, { readonly controller: AbortController; readonly done: Promise<void> }>();

  const run = async ({ id, meta, call }: WaitingCall, signal: AbortSignal): Promise<void> => {
    const stopTelling = tellProgress(meta, write, progressEveryMs);
    const result = await call(signal).catch((error: unknown): McpResult => ({ text: toReason(error), isError: true }));
    stopTelling();
    running.delete(id);
    if (!signal.aborted) await write({ jsonrpc: '2.0', id, result: toWireResult(result) });
  };
  return {
    begin: (call) => {
      if (running.size >= MAX_WAITING || running.has(call.id)) return false;
      const controller = new AbortController();
      running.set(call.id, { controller, done: run(call, controller.signal) });
      return true;
    },
    cancel: (id) => running.get(id)?.controller.abort(),
    end: async () => {
      const rest = [...running.values()];
      for (const { controller } of rest) controller.abort();
      await Promise.all(rest.map(({ done }) => done));
    },
  };
}

/** Tells a client that asked for it that its call goes on, until the function is called. */
function tellProgress(meta: Json | undefined, write: (message: Json) => Promise<void>, everyMs: number): () => void {
  const progressToken = isJsonObject(meta) ? meta['progressToken'] : undefined;
  if (typeof progressToken !== 'string' && typeof progressToken !== 'number') return () => undefined;
  let progress = 0;
  let isWriting = false;
  const tell = async (): Promise<void> => {
    // A client that does not read is not written to again.
    if (isWriting) return;
    isWriting = true;
    progress += 1;
    await write({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, message: 'Still waiting.' } });
    isWriting = false;
  };
  const timer = setInterval(() => void tell(), everyMs);
  return () => clearInterval(timer);
}
