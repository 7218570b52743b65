/** `- `, `* `, `+ `, `1. `, `1) `, with a box or without. */
const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[(?<box>[ xX])\](?:[ \t]+|$))?(?<text>.*)$/;
const RULE = /^[ \t]*([-*][ \t]*){3,}$/;
const FENCE = /^[ \t]*(```|~~~)/;

/**
 * The tasks that a text lists. Where it has an item of a Markdown list (outside of fenced code), each item that is set in the least is a task, with all lines below it that
 * are set in further; items whose box is ticked are none, and neither is any other text. Where it has no such item, each line is a task, but for empty ones and those that begin with `#`.
 */
export function parseTaskList(text: string): readonly string[] {
  const lines = markCode(text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/));
  const items = lines.flatMap(toItem);
  if (items.length === 0) return lines.map((line) => line.text.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const least = Math.min(...items.map(({ indent }) => indent));
  return items
    .filter(({ indent, isDone }) => indent === least && !isDone)
    .map(({ line, indent, first }) => [first, ...takeBody(lines, line, indent)].join('\n').trim())
    .filter((task) => task !== '');
}

interface ListLine {
  readonly text: string;
  /** Whether it is in fenced code, or its fence. */
  readonly isCode: boolean;
}

function markCode(lines: readonly string[]): readonly ListLine[] {
  let fence: string | null = null;
  return lines.map((text) => {
    const mark = FENCE.exec(text)?.[1] ?? null;
    const isCode: boolean = fence !== null || mark !== null;
    if (fence === null) fence = mark;
    else if (mark === fence) fence = null;
    return { text, isCode };
  });
}

interface ListItem {
  readonly line: number;
  readonly indent: number;
  readonly isDone: boolean;
  readonly first: string;
}

function toItem({ text, isCode }: ListLine, line: number): readonly ListItem[] {
  const groups = isCode || RULE.test(text) ? undefined : ITEM.exec(text)?.groups;
  if (groups === undefined) return [];
  return [{ line, indent: toWidth(text), isDone: /[xX]/.test(groups['box'] ?? ''), first: groups['text'] ?? '' }];
}

/** The lines below an item that belong to it, set in as far less as the first of them is; code does, wherever it stands. */
function takeBody(lines: readonly ListLine[], line: number, indent: number): readonly string[] {
  const end = lines.findIndex(({ text, isCode }, index) => index > line && !isCode && text.trim() !== '' && toWidth(text) <= indent);
  const body = lines.slice(line + 1, end === -1 ? lines.length : end).map(({ text }) => text);
  const first = body.find((text) => text.trim() !== '') ?? '';
  const margin = first.length - first.trimStart().length;
  return body.map((text) => text.slice(Math.min(margin, text.length - text.trimStart().length)).trimEnd());
}

/** How far a line is set in; a tab is as wide as four blanks. */
function toWidth(text: string): number {
  const blank = /^[ \t]*/.exec(text)?.[0] ?? '';
  return blank.replaceAll('\t', '    ').length;
}
