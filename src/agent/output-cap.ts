import { maskControls } from '../core/index.ts';
import { stripColours } from '../process/index.ts';

/** Limits of what a model reads of one result. */
export interface CapLimits {
  /** From which end a long text is kept. */
  readonly keep: 'head' | 'tail';
  readonly maxLines: number;
  readonly maxBytes: number;
  /** Longer lines are cut, in UTF-16 units. */
  readonly maxLineChars: number;
}

/** Keeps the whole text somewhere; the path that `read_file` takes, or `null` where it could not be kept. */
export type Spill = (text: string) => Promise<string | null>;

/** A text within its limits. */
export interface CappedOutput {
  /** Masked: a terminal obeys nothing in it. */
  readonly text: string;
  /** True when something is missing. */
  readonly isCut: boolean;
  /** Where all of it is, as `read_file` takes it; `null` where nothing is missing or it could not be kept. */
  readonly spillPath: string | null;
}

export const DEFAULT_CAP: Omit<CapLimits, 'keep'> = { maxLines: 2000, maxBytes: 50 * 1024, maxLineChars: 2000 };

/** Room for the line that says how to get the rest. */
const noticeBytes = 600;

interface Part {
  readonly lines: readonly string[];
  /** One-based number of its first line. */
  readonly first: number;
}

/**
 * Cuts a text to what a model ought to read of it. What is cut off is kept whole by `spill`, masked as well, with the same lines; one more line
 * (the last for `head`, the first for `tail`) says how to get it. Never cuts inside a character; colour codes are left out, every other control
 * is masked before anything is cut, so no half of a sequence is left.
 */
export async function capOutput(
  text: string,
  {
    keep,
    maxLines = DEFAULT_CAP.maxLines,
    maxBytes = DEFAULT_CAP.maxBytes,
    maxLineChars = DEFAULT_CAP.maxLineChars,
  }: Pick<CapLimits, 'keep'> & Partial<CapLimits>,
  spill: Spill,
): Promise<CappedOutput> {
  const masked = maskOutput(text);
  const lines = masked.split('\n');
  const lineChars = Math.max(1, Math.min(maxLineChars, Math.floor((maxBytes - noticeBytes) / 4)));
  const shortened = lines.map((line) => cutLine(line, lineChars));
  const total = lines.at(-1) === '' ? lines.length - 1 : lines.length;
  const isWhole = total <= maxLines && Buffer.byteLength(masked) <= maxBytes && shortened.every((line, index) => line === lines[index]);
  if (isWhole) return { text: masked, isCut: false, spillPath: null };
  const part =
    keep === 'head' ? takeHead(shortened.slice(0, total), maxLines, maxBytes) : takeTail(shortened.slice(0, total), maxLines, maxBytes);
  const spillPath = await spill(masked);
  const notice = describeCut(part, total, Buffer.byteLength(masked), keep, spillPath);
  const shown = keep === 'head' ? [...part.lines, notice] : [notice, ...part.lines];
  return { text: shown.join('\n'), isCut: true, spillPath };
}

/** A text that no terminal obeys: colours left out, ends of lines made one, tabs kept, everything else masked. */
export function maskOutput(text: string): string {
  const plain = stripColours(text).replace(/\r+\n/g, '\n');
  const masked = plain.split('\t').map((piece) => maskControls(piece, { keepsLines: true }));
  return masked.join('\t').replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** At most `maxChars` of a line, with what is missing at its end. Never cuts inside a character. */
export function cutLine(line: string, maxChars: number): string {
  if (line.length <= maxChars) return line;
  const end = toBoundary(line, maxChars);
  return `${line.slice(0, end)}[… ${line.length - end} more characters]`;
}

/** The nearest index not behind `index` that is between two characters. */
function toBoundary(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return isLow && index > 0 ? index - 1 : index;
}

function takeHead(lines: readonly string[], maxLines: number, maxBytes: number): Part {
  const taken: string[] = [];
  let leftBytes = maxBytes - noticeBytes;
  for (const line of lines.slice(0, maxLines - 1)) {
    leftBytes -= Buffer.byteLength(line) + 1;
    if (leftBytes < 0 && taken.length > 0) break;
    taken.push(line);
    if (leftBytes < 0) break;
  }
  return { lines: taken, first: 1 };
}

function takeTail(lines: readonly string[], maxLines: number, maxBytes: number): Part {
  const { lines: taken } = takeHead(lines.slice(-maxLines).toReversed(), maxLines, maxBytes);
  return { lines: taken.toReversed(), first: lines.length - taken.length + 1 };
}

function describeCut({ lines, first }: Part, total: number, bytes: number, keep: CapLimits['keep'], spillPath: string | null): string {
  const last = first + lines.length - 1;
  const what =
    lines.length === total
      ? `all ${total} lines are here, long ones cut`
      : `lines ${first} to ${last} of ${total} are here, ${bytes} bytes in all`;
  if (spillPath === null) return `[Cut: ${what}. The rest could not be kept; ask for less at once.]`;
  const offset = keep === 'head' && lines.length < total ? last + 1 : 1;
  return `[Cut: ${what}. The whole is in ${spillPath}: read_file with offset ${offset} reads on; one line alone (limit 1) is cut later.]`;
}
