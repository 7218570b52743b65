import { basename } from 'node:path';
import { Worker } from 'node:worker_threads';
import { accept, type Result, refuse, tryOr } from '../../core/values/result.ts';
import { compileGlob, type GlobMatcher } from '../files/compile-glob.ts';
import { MAX_WHOLE_BYTES, readWholeFile } from '../files/open-pinned.ts';
import { walkFolder } from '../files/read-folder.ts';
import type { GrepFile, GrepFound, GrepLine, GrepOrder } from './grep-order.ts';

/** The longest time for one file: a pattern that needs more may need for ever. */
const FILE_TIMEOUT_MS = 2000;
const SNIFFED_BYTES = 8192;

/** Looks for text in files without any program. Binary files and those above 16 MB are left out; links are not followed. Never rejects for what files are. */
export async function grepByWalk(order: GrepOrder): Promise<Result<GrepFound, string>> {
  const fault = order.isLiteral ? '' : findPatternFault(order.pattern);
  if (fault !== '') return refuse(fault);
  const matcher = createLineMatcher({ ...order, timeoutMs: FILE_TIMEOUT_MS });
  try {
    return await searchAll(order, matcher);
  } finally {
    await matcher.close();
  }
}

async function searchAll(order: GrepOrder, matcher: LineMatcher): Promise<Result<GrepFound, string>> {
  const files: GrepFile[] = [];
  let left = order.limit;
  let tooLarge = 0;
  for await (const real of listCandidates(order)) {
    if (order.budget.stopped() !== null) break;
    const text = await readText(real);
    if (text === null) continue;
    if (text === 'too-large') {
      tooLarge += 1;
      continue;
    }
    // One more than wanted tells that there are more.
    const hits = await matcher.match(text, order.mode === 'content' ? left + 1 : order.mode === 'files' ? 1 : Number.MAX_SAFE_INTEGER);
    if (hits === null) return toSlow(files, order, real);
    if (hits.length === 0) continue;
    if (left <= 0) return accept({ files, isCut: true, notices: toNotices(tooLarge) });
    const shown = order.mode === 'content' ? hits.slice(0, left) : hits;
    files.push({ real, count: hits.length, lines: order.mode === 'content' ? pickLines(text, shown, order.context) : [] });
    left -= order.mode === 'content' ? shown.length : 1;
    if (hits.length > shown.length) return accept({ files, isCut: true, notices: toNotices(tooLarge) });
  }
  return accept({ files, isCut: false, notices: toNotices(tooLarge) });
}

function toSlow(files: readonly GrepFile[], { signal, workspace }: GrepOrder, real: string): Result<GrepFound, string> {
  if (signal.aborted) return accept({ files, isCut: true, notices: [] });
  const name = real.startsWith(workspace) ? real.slice(workspace.length + 1) : basename(real);
  return refuse(`it takes too long on ${name}: repetitions within repetitions, such as (a+)+, can need for ever`);
}

function toNotices(tooLarge: number): readonly string[] {
  return tooLarge === 0 ? [] : [`[${tooLarge} files above ${MAX_WHOLE_BYTES / (1024 * 1024)} MB were left out.]`];
}

async function* listCandidates(order: GrepOrder): AsyncGenerator<string> {
  if (!order.isFolder) {
    yield order.start;
    return;
  }
  const isWanted = toFileFilter(order.glob);
  const { start, workspace, budget } = order;
  for await (const { real, path, kind } of walkFolder({ start, workspace, withIgnored: false, budget })) {
    if (kind === 'file' && isWanted(path)) yield real;
  }
}

function toFileFilter(glob: string | null): GlobMatcher {
  if (glob === null) return () => true;
  const compiled = compileGlob(glob);
  if (!compiled.ok) return () => false;
  const matches = compiled.value;
  return glob.includes('/') ? matches : (path) => matches(basename(path));
}

async function readText(real: string): Promise<string | 'too-large' | null> {
  const file = await readWholeFile(real, real);
  if (!file.ok) return file.refused.isTooLarge === true ? 'too-large' : null;
  const { bytes } = file.value;
  return bytes.subarray(0, SNIFFED_BYTES).includes(0) ? null : bytes.toString('utf8');
}

function pickLines(text: string, hits: readonly number[], context: number): readonly GrepLine[] {
  const lines = splitLines(text);
  const matched = new Set(hits);
  const wanted = new Set(hits.flatMap((hit) => Array.from({ length: context * 2 + 1 }, (_, index) => hit - context + index)));
  return [...wanted]
    .filter((index) => index >= 0 && index < lines.length)
    .toSorted((left, right) => left - right)
    .map((index) => ({ number: index + 1, text: lines[index] ?? '', isMatch: matched.has(index) }));
}

interface LineMatcher {
  /** Zero-based numbers of the lines that match, at most `limit`; `null` when it took too long: the matcher is of no use any more. */
  readonly match: (text: string, limit: number) => Promise<readonly number[] | null>;
  readonly close: () => Promise<void>;
}

/** What to look for: a regular expression's source, or a text. */
interface MatchOrder {
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
function findPatternFault(pattern: string): string {
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
 * practically for ever (`(a+)+$`). Plain texts need no thread. Call `close` at the end.
 *
 * @param order its pattern has to be without fault, see {@link findPatternFault}.
 */
function createLineMatcher(order: MatchOrder): LineMatcher {
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
  // A thread that runs out of memory says so even when no answer is awaited.
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
  return tryOr(() => {
    new RegExp(pattern, 'u');
    return true;
  }, false);
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
function splitLines(text: string): readonly string[] {
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
