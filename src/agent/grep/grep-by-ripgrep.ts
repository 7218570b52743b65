import { dirname } from 'node:path';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import { startProcess } from '../../process/start-process.ts';
import type { GrepFile, GrepFound, GrepLine, GrepOrder } from './grep-order.ts';

const TIMEOUT_MS = 20_000;
const MAX_LINE_BYTES = 64 * 1024;
const MAX_ERROR_LINES = 12;

/**
 * Looks for text in files with ripgrep. The pattern and the path cannot be taken for options, its configuration file is not read, no program is run for
 * files, and links are not followed.
 *
 * @param program absolute path of `rg`.
 * @returns what is wrong with the pattern where ripgrep does not take it: it knows neither look-around nor back references.
 */
export async function grepByRipgrep(program: string, order: GrepOrder, marker: string): Promise<Result<GrepFound, string>> {
  const reader = createReader(order);
  const errors: string[] = [];
  const handle = startProcess({
    command: program,
    args: toArguments(order),
    cwd: order.isFolder ? order.start : dirname(order.start),
    env: { LC_ALL: 'C.UTF-8' },
    marker,
    timeoutMs: TIMEOUT_MS,
    maxLineBytes: MAX_LINE_BYTES,
    onStdoutLine: (line) => {
      if (reader.take(line)) void handle.kill();
    },
    onStderrLine: (line) => {
      if (errors.length < MAX_ERROR_LINES) errors.push(line);
    },
  });
  const stop = (): void => void handle.kill();
  order.signal.addEventListener('abort', stop, { once: true });
  if (order.signal.aborted) stop();
  const result = await handle.result;
  order.signal.removeEventListener('abort', stop);
  const isFailed = result.status === 'spawn-error' || (result.exitCode ?? 0) > 1;
  if (isFailed && reader.files().length === 0)
    return refuse(errors.join('\n').replace(/^(?:rg: )?regex parse error:\s*/, '') || 'ripgrep failed');
  const notices =
    result.stopReason === 'timeout'
      ? [`[Stopped after ${TIMEOUT_MS / 1000} s. The result is not complete: search in a smaller folder.]`]
      : [];
  return accept({ files: reader.files(), isCut: reader.isCut(), notices });
}

function toArguments({ pattern, isLiteral, ignoresCase, glob, start, mode, context, limit }: GrepOrder): readonly string[] {
  const modes = {
    files: ['--files-with-matches'],
    count: ['--count', '--null'],
    content: ['--line-number', '--null', `--context=${context}`, `--max-count=${limit + 1}`],
  };
  return [
    ...['--no-config', '--color=never', '--no-heading', '--with-filename', '--no-messages', '--no-follow', '--hidden', '--sort=path'],
    ...[
      '--max-filesize=16M',
      '--max-columns=0',
      '--no-require-git',
      '--no-pre',
      '--no-search-zip',
      '--no-ignore-global',
      '--no-ignore-dot',
    ],
    ...modes[mode],
    ...(isLiteral ? ['--fixed-strings'] : []),
    ignoresCase ? '--ignore-case' : '--case-sensitive',
    // Of several patterns for files the last one counts.
    ...(glob === null ? [] : [`--glob=${glob.replace(/^!/, '\\!')}`]),
    ...['--glob=!.git', '--glob=!.ralph', '--glob=!node_modules'],
    `--regexp=${pattern}`,
    '--',
    start,
  ];
}

interface GrepOutputReader {
  /** Takes a line of the output. True: enough. */
  take(line: string): boolean;
  files(): readonly GrepFile[];
  isCut(): boolean;
}

function createReader({ mode, limit }: GrepOrder): GrepOutputReader {
  const files = new Map<string, { count: number; lines: GrepLine[] }>();
  let matches = 0;
  let isCut = false;

  function takeFile(real: string, count: number): void {
    if (files.size >= limit) isCut = true;
    else files.set(real, { count, lines: [] });
  }

  function takeLine(line: string): void {
    const parsed = /^([^\0]+)\0(\d+)([:-])(.*)$/s.exec(line);
    if (parsed === null) return;
    const [, real = '', number = '', mark = '', text = ''] = parsed;
    const isMatch = mark === ':';
    if (isMatch && matches >= limit) {
      isCut = true;
      return;
    }
    matches += isMatch ? 1 : 0;
    const file = files.get(real) ?? { count: 0, lines: [] };
    file.count += isMatch ? 1 : 0;
    file.lines.push({ number: Number(number), text: text.replace(/\r$/, ''), isMatch });
    files.set(real, file);
  }

  return {
    take(line) {
      if (mode === 'files') takeFile(line, 1);
      else if (mode === 'count') takeFile(line.split('\0')[0] ?? '', Number(line.split('\0')[1]));
      else takeLine(line);
      return isCut;
    },
    files: () => [...files].map(([real, { count, lines }]) => ({ real, count, lines })).filter(({ count }) => count > 0),
    isCut: () => isCut,
  };
}
