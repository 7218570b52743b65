import { Worker } from 'node:worker_threads';

/** Tells which lines of a text match. */
export interface LineMatcher {
  /** Zero-based numbers of the lines that match, at most `limit`; `null` when it took too long: the matcher is of no use any more. */
  readonly match: (text: string, limit: number) => Promise<readonly number[] | null>;
  readonly close: () => Promise<void>;
}

/** What to look for: a regular expression's source, or a text. */
export interface MatchOrder {
  readonly pattern: string;
  readonly isLiteral: boolean;
  readonly ignoresCase: boolean;
  /** For one text. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Plain JavaScript of its own: it runs in a thread that can be ended in the middle of a match. */
const WORKER_SOURCE = `
const { parentPort, workerData } = require('node:worker_threads');
const pattern = new RegExp(workerData.source, workerData.flags);
parentPort.on('message', ({ text, limit }) => {
  const lines = text.replace(/\\r?\\n$/, '').split(/\\r?\\n/);
  const hits = [];
  for (let index = 0; index < lines.length && hits.length < limit; index += 1) if (pattern.test(lines[index])) hits.push(index);
  parentPort.postMessage(hits);
});`;

/** Compiles the pattern once to say what is wrong with it; empty where nothing is. */
export function findPatternFault(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return '';
  } catch (error) {
    return toFault(error, pattern);
  }
}

function toFault(error: unknown, pattern: string): string {
  try {
    // Escapes such as \- are no mistake elsewhere.
    new RegExp(pattern);
    return '';
  } catch {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : 'it cannot be understood';
  }
}

/**
 * A matcher for lines. Regular expressions run in a thread that is ended when one text takes too long or the signal aborts: some patterns need
 * longer than anybody lives (`(a+)+$`). Plain texts need no thread. Call `close` at the end.
 *
 * @param order its pattern has to be without fault, see {@link findPatternFault}.
 */
export function createLineMatcher(order: MatchOrder): LineMatcher {
  if (order.isLiteral) return createLiteralMatcher(order);
  const flags = (order.ignoresCase ? 'i' : '') + (isUnicode(order.pattern) ? 'u' : '');
  const worker = new Worker(WORKER_SOURCE, {
    eval: true,
    workerData: { source: order.pattern, flags },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  let isBroken = false;
  // A thread that runs out of memory says so whether or not somebody waits for it.
  worker.on('error', () => {
    isBroken = true;
  });
  // Starting a thread takes its time on a busy machine, which is not the pattern's fault.
  const online = waitUntilOnline(worker, order.signal);
  const giveUp = async (): Promise<null> => {
    isBroken = true;
    await worker.terminate();
    return null;
  };
  return {
    match: async (text, limit) => {
      await online;
      return isBroken ? null : ((await ask(worker, { text, limit }, order)) ?? (await giveUp()));
    },
    close: async () => {
      await worker.terminate();
    },
  };
}

function isUnicode(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

function waitUntilOnline(worker: Worker, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      signal.removeEventListener('abort', finish);
      resolve();
    };
    for (const event of ['online', 'error', 'exit']) worker.once(event, finish);
    signal.addEventListener('abort', finish);
    if (signal.aborted) finish();
  });
}

function ask(
  worker: Worker,
  message: { text: string; limit: number },
  { timeoutMs, signal }: MatchOrder,
): Promise<readonly number[] | null> {
  return new Promise((resolve) => {
    const finish = (hits: readonly number[] | null): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      worker.off('message', finish).off('error', stop).off('exit', stop);
      resolve(hits);
    };
    const stop = (): void => finish(null);
    const timer = setTimeout(stop, timeoutMs);
    worker.on('message', finish).on('error', stop).on('exit', stop);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    else worker.postMessage(message);
  });
}

/** The lines of a text; what ends the last one begins no other. */
export function splitLines(text: string): readonly string[] {
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

function createLiteralMatcher({ pattern, ignoresCase }: MatchOrder): LineMatcher {
  const wanted = ignoresCase ? pattern.toLowerCase() : pattern;
  return {
    match: async (text, limit) => {
      const hits: number[] = [];
      const lines = splitLines(ignoresCase ? text.toLowerCase() : text);
      for (let index = 0; index < lines.length && hits.length < limit; index += 1) {
        if (lines[index]?.includes(wanted) === true) hits.push(index);
      }
      return hits;
    },
    close: async () => undefined,
  };
}
