import { basename } from 'node:path';
import { compileGlob, type PathMatcher } from './check-glob.ts';
import { createLineMatcher, findPatternFault, type LineMatcher, splitLines } from './create-line-matcher.ts';
import type { GrepAnswer, GrepFile, GrepLine, GrepOrder } from './grep-order.ts';
import { MAX_WHOLE_BYTES, readWholeFile } from './read-whole-file.ts';
import { walkFiles } from './walk-files.ts';

/** One file may take so long; patterns that need more need for ever. */
const fileTimeoutMs = 2000;
const sniffedBytes = 8192;

/** Looks for text in files without any program. Binary files and those above 16 MB are left out; links are not followed. Never rejects for what files are. */
export async function grepByWalk(order: GrepOrder): Promise<GrepAnswer> {
  const fault = order.isLiteral ? '' : findPatternFault(order.pattern);
  if (fault !== '') return { fault };
  const matcher = createLineMatcher({ ...order, timeoutMs: fileTimeoutMs });
  try {
    return await searchAll(order, matcher);
  } finally {
    await matcher.close();
  }
}

async function searchAll(order: GrepOrder, matcher: LineMatcher): Promise<GrepAnswer> {
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
    if (left <= 0) return { files, isCut: true, notices: toNotices(tooLarge) };
    const shown = order.mode === 'content' ? hits.slice(0, left) : hits;
    files.push({ real, count: hits.length, lines: order.mode === 'content' ? pickLines(text, shown, order.context) : [] });
    left -= order.mode === 'content' ? shown.length : 1;
    if (hits.length > shown.length) return { files, isCut: true, notices: toNotices(tooLarge) };
  }
  return { files, isCut: false, notices: toNotices(tooLarge) };
}

function toSlow(files: readonly GrepFile[], { signal, workspace }: GrepOrder, real: string): GrepAnswer {
  if (signal.aborted) return { files, isCut: true, notices: [] };
  const name = real.startsWith(workspace) ? real.slice(workspace.length + 1) : basename(real);
  return { fault: `it takes too long on ${name}: repetitions within repetitions, such as (a+)+, can need for ever` };
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
  for await (const { real, path, kind } of walkFiles({ start, workspace, withIgnored: false, budget })) {
    if (kind === 'file' && isWanted(path)) yield real;
  }
}

function toFileFilter(glob: string | null): PathMatcher {
  if (glob === null) return () => true;
  const matches = compileGlob(glob);
  if ('refused' in matches) return () => false;
  return glob.includes('/') ? matches : (path) => matches(basename(path));
}

async function readText(real: string): Promise<string | 'too-large' | null> {
  const file = await readWholeFile(real, real);
  if ('refused' in file) return file.refused.includes('more than this tool takes') ? 'too-large' : null;
  return file.bytes.subarray(0, sniffedBytes).includes(0) ? null : file.bytes.toString('utf8');
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
