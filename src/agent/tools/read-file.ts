import type { FileHandle } from 'node:fs/promises';
import { z } from 'zod';
import type { Refusal } from '../../core/values/result.ts';
import { explainFileError, quotePath } from '../files/check-path-text.ts';
import { explainBinary, findMediaType, SNIFFED_BYTES } from '../files/file-content.ts';
import { openPinned } from '../files/open-pinned.ts';
import { suggestPath } from '../files/read-folder.ts';
import { readTextWindow, type TextWindow, type WindowLine, type WindowOrder } from '../files/read-text-window.ts';
import { defineTool, fail, failWith, READS_FILES, succeed, type ToolContext, type ToolResult } from '../tool/tool.ts';
import { FILE_LIMITS } from '../tool/tool-output.ts';

/** A line that is asked for alone is given in pieces of `FILE_LIMITS.maxLineChars`, up to this many characters. */
const LONE_LINE_CHARACTERS = 15_000;

const parameters = z.strictObject({
  path: z.string().describe('Path of the file, relative to the workspace.'),
  offset: z.number().int().min(1).default(1).describe('Number of the first line, counted from 1.'),
  limit: z.number().int().min(1).max(FILE_LIMITS.maxLines).default(FILE_LIMITS.maxLines).describe('How many lines.'),
  column: z.number().int().min(1).default(1).describe('First character of each line, counted from 1: to read on in a line that was cut.'),
});

type Args = z.infer<typeof parameters>;

export const readFileTool = defineTool<Args>({
  name: 'read_file',
  group: 'fs_read',
  hints: READS_FILES,
  description: `Reads a text file; an image or a PDF document is shown where the model can take it. Each line comes with its number and a tab in front, which are not part of the file. At most ${FILE_LIMITS.maxLines} lines or ${Math.floor(FILE_LIMITS.maxBytes / 1024)} KB at once; the result says how to read on. A file has to be read before write_file may overwrite it.`,
  parameters,
  run: async (args, context) => {
    const real = await context.jail.resolveRead(args.path);
    if (!real.ok) return failWith(real.refused);
    const shown = context.jail.toShown(real.value);
    const opened = await openPinned(real.value, 'file', shown);
    if (!opened.ok) return fail(opened.refused.reason, `${await suggestPath(context.jail, real.value)}${opened.refused.advice}`);
    const handle = opened.value;
    try {
      return await readOpened(handle, real.value, shown, args, context);
    } catch (error) {
      return failWith(explainFileError(error, shown));
    } finally {
      await handle.close();
    }
  },
});

async function readOpened(handle: FileHandle, real: string, shown: string, args: Args, context: ToolContext): Promise<ToolResult> {
  const { size, mtimeMs } = await handle.stat();
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  const refusal = explainBinary(buffer.subarray(0, bytesRead), shown);
  if (refusal !== null) return showBinary(handle, { refusal, mediaType: findMediaType(buffer.subarray(0, bytesRead)), size, shown });
  const window = await readTextWindow(handle, toOrder(args), context.signal);
  if (context.signal.aborted) return fail('Stopped: the turn was ended.');
  context.session.reads.set(real, { mtimeMs, sizeBytes: size, sha256: window.sha256 });
  return succeed(renderWindow(window, args, shown, size), { path: shown, lines: window.lines.length, bytes: size });
}

/** In base64 it may not be larger than 5 MB. */
const MAX_SHOWN_BYTES = 3_750_000;

interface BinaryFile {
  /** Why it is not read as text. */
  readonly refusal: Refusal;
  readonly mediaType: string | null;
  readonly size: number;
  readonly shown: string;
}

/** Words, and with them the file for a model that can be shown it. */
async function showBinary(handle: FileHandle, { refusal, mediaType, size, shown }: BinaryFile): Promise<ToolResult> {
  if (mediaType === null) return failWith(refusal);
  if (size > MAX_SHOWN_BYTES)
    return fail(
      `${refusal.reason} With ${size} bytes it is too large to be shown (${MAX_SHOWN_BYTES}).`,
      'Have it made smaller by a program, or go on without.',
    );
  const data = Buffer.alloc(size);
  const { bytesRead } = await handle.read(data, 0, size, 0);
  const text = `${quotePath(shown)} is shown with this result (${mediaType}, ${bytesRead} bytes).`;
  return { ...failWith(refusal), shown: { text, file: { mediaType, data: data.toString('base64', 0, bytesRead) } } };
}

function toOrder({ offset, limit, column }: Args): WindowOrder {
  const maxLineChars = limit === 1 ? LONE_LINE_CHARACTERS : FILE_LIMITS.maxLineChars;
  return { offset, limit, column, maxLineChars, maxBytes: FILE_LIMITS.maxBytes };
}

function renderWindow({ lines, totalLines }: TextWindow, args: Args, shown: string, sizeBytes: number): string {
  if (totalLines === 0) return `[${shown} is empty.]`;
  if (lines.length === 0)
    return `[${shown} has ${totalLines ?? 'fewer'} lines; there is none from line ${args.offset} on. Read it with a smaller offset.]`;
  const { offset, column, limit } = args;
  const rendered = lines.flatMap((line, index) =>
    limit === 1 ? renderLoneLine(line, offset, column) : renderLine(line, offset + index, column),
  );
  const next = offset + lines.length;
  const isAtEnd = totalLines !== null && next > totalLines;
  const notice = isAtEnd
    ? []
    : [`[Lines ${offset} to ${next - 1} of ${totalLines ?? `many (${sizeBytes} bytes)`}. Read on with offset ${next}.]`];
  return [...rendered, ...notice].join('\n');
}

function renderLine({ text, leftChars }: WindowLine, number: number, column: number): string {
  const rest = leftChars === 0 ? '' : `[… ${leftChars} more characters: offset ${number}, limit 1, column ${column + text.length}]`;
  return `${number}\t${text}${rest}`;
}

/** In pieces that are short enough not to be cut on their way to the model. */
function renderLoneLine({ text, leftChars }: WindowLine, number: number, column: number): readonly string[] {
  if (text.length <= FILE_LIMITS.maxLineChars && leftChars === 0 && column === 1) return [`${number}\t${text}`];
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = toWholeEnd(text, start + FILE_LIMITS.maxLineChars);
    pieces.push(`${number}:${column + start}\t${text.slice(start, end)}`);
    start = end;
  }
  const rest = leftChars === 0 ? 'the line ends here' : `${leftChars} more characters: read on with column ${column + text.length}`;
  return [...pieces, `[Line ${number} in pieces, each behind the number of its first character; ${rest}.]`];
}

function toWholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end);
  return unit >= 0xdc00 && unit <= 0xdfff ? end - 1 : Math.min(end, text.length);
}
