import type { EventSignal, SignalCollector } from '../events/event.ts';
import { isTopic } from '../events/topics.ts';
import { createFenceTracker } from '../text/code-fence.ts';

/** Reads `<event topic="…" target="…">…</event>` from lines; attributes and a body may go on over many of them. */
export interface EventTagReader {
  /** Takes the next line; returns what is now known to stand outside of tags. */
  readonly take: (line: string) => readonly OutsideLine[];
  /** The text is over: gives up an open tag, with a report; returns the lines that it had held. The next line begins a new text. */
  readonly drop: () => readonly OutsideLine[];
}

const ATTRIBUTES = String.raw`(?:\s+[A-Za-z_-]+\s*=\s*(?:"[^"]*"|'[^']*'))*`;
const TAG = String.raw`<event${ATTRIBUTES}\s*\/?>`;
/** A tag, a mark of CDATA, or backticks: whichever comes first. */
const TOKEN = new RegExp(String.raw`${TAG}|<\/event\s*>|<!\[CDATA\[|\]\]>|${'`+'}`, 'g');
/** A tag that the end of the line cuts between two attributes. */
const CUT = new RegExp(String.raw`<event${ATTRIBUTES}\s*$`);
const WHOLE_OR_CUT = new RegExp(String.raw`^(?:${TAG}|<event${ATTRIBUTES}\s*$)`);
const UNREADABLE = /<event(?:[\s>]|$)/;
/** Inline code that is a tag is about tags; other inline code in a body is part of it. */
const IS_TAG = /^\s*<\/?event[\s/>]/;
/** Longer than a payload may be, so that one that is too long is cut and told rather than lost. */
const MAX_BODY_LENGTH = 4_000_000;
/** No tag is longer, its body aside. */
const MAX_TAG_LENGTH = 4000;

/** A reader that gives its events and complaints to the collector, at memory bounded by the longest body (four million characters). */
export function createEventTagReader(found: SignalCollector): EventTagReader {
  let fence = createFenceTracker();
  let bodyFence = fence;
  let region: TagRegion | null = null;
  /** Lines whose last tag goes on in the next one. */
  let held: string | null = null;

  const resolve = (why: string): readonly OutsideLine[] => {
    const lines = region?.resolve(found, why) ?? [];
    region = null;
    return lines;
  };
  /** One tag or mark, and what stands before it; returns what of both stands outside of tags. */
  const takeToken = ({ before, words, raw }: TagToken, isFenced: boolean): string => {
    const isOutside = region === null;
    if (isOutside) {
      reportUnreadable(words, found);
      if (!raw.startsWith('<event')) return before + raw;
      bodyFence = createFenceTracker();
    }
    region ??= createTagRegion();
    if (!isOutside) region.text(before, isFenced);
    if (raw !== '') region.tag(raw, isFenced);
    if (region.isClosed()) resolve('');
    return isOutside ? before : '';
  };
  const takeText = (text: string, isFenced: boolean): readonly OutsideLine[] => {
    if (isFenced && region === null) return [{ text, isFenced }];
    const wasOutside = region === null;
    let outside = '';
    for (const token of listTokens(text, () => region !== null)) outside += takeToken(token, isFenced);
    if (region === null) return outside === '' && !wasOutside ? [] : [{ text: outside, isFenced: false }];
    const open: TagRegion = region;
    open.text('\n', isFenced);
    const first = wasOutside ? [{ text: outside, isFenced: false }] : [];
    if (open.length() <= MAX_BODY_LENGTH) return first;
    fence = bodyFence;
    return [...first, ...resolve('an <event> tag was not closed within four million characters')];
  };
  /** Lines that were held are read as they are: what follows is no part of their tag. */
  const release = (): readonly OutsideLine[] => {
    const lines = held === null ? [] : takeText(held, false);
    held = null;
    return lines;
  };
  const take = (line: string): readonly OutsideLine[] => {
    const released = held !== null && isContinued(held, line) ? [] : release();
    const isFenced = held === null && (region === null ? fence : bodyFence).take(line);
    const text = held === null ? line : `${held}\n${line}`;
    const isCut = !isFenced && text.length <= MAX_BODY_LENGTH && CUT.test(text.slice(-MAX_TAG_LENGTH));
    held = isCut ? text : null;
    return isCut ? released : [...released, ...takeText(text, isFenced)];
  };
  const drop = (): readonly OutsideLine[] => {
    const lines = [...release(), ...resolve('an <event> tag was never closed')];
    fence = createFenceTracker();
    return lines;
  };
  return { take, drop };
}

/** True if the tag at the end of the held lines is whole with the next line, or at least goes on. */
function isContinued(held: string, line: string): boolean {
  const end = held.slice(-MAX_TAG_LENGTH);
  const tag = end.slice(CUT.exec(end)?.index ?? end.length);
  return WHOLE_OR_CUT.test(`${tag}\n${line.slice(0, MAX_TAG_LENGTH)}`);
}

function reportUnreadable(text: string, found: SignalCollector): void {
  if (UNREADABLE.test(text)) found.report('an <event> tag whose attributes cannot be read', text);
}

interface TagToken {
  readonly before: string;
  /** The same without inline code. */
  readonly words: string;
  /** Empty for the rest of the text. */
  readonly raw: string;
}

/** The tags and marks of a text, those in inline code left out; what is left of it comes last. */
function* listTokens(text: string, isInTag: () => boolean): Generator<TagToken> {
  if (!text.includes(isInTag() ? '<' : '<event') && !text.includes(']]>')) {
    yield { before: text, words: text, raw: '' };
    return;
  }
  const code = createCodeSpans(text);
  const tokens = new RegExp(TOKEN);
  let start = 0;
  let words = '';
  let wordsStart = 0;
  /** Where the backticks are that closed the last inline code: they open none. */
  let lastTicks = -1;
  for (let match = tokens.exec(text); match !== null; match = tokens.exec(text)) {
    const [raw] = match;
    if (!raw.startsWith('`')) {
      yield { before: text.slice(start, match.index), words: words + text.slice(wordsStart, match.index), raw };
      start = tokens.lastIndex;
      wordsStart = start;
      words = '';
      continue;
    }
    const end = match.index === lastTicks ? -1 : code.endOf(match.index, raw.length);
    if (end === -1) continue;
    lastTicks = end - raw.length;
    if (isInTag() && !IS_TAG.test(text.slice(tokens.lastIndex, lastTicks))) continue;
    words += text.slice(wordsStart, match.index);
    wordsStart = end;
    tokens.lastIndex = end;
  }
  yield { before: text.slice(start), words: words + text.slice(wordsStart), raw: '' };
}

interface CodeSpans {
  /** Where the code ends that the backticks at this place open, its own backticks included; -1 where they open none. */
  readonly endOf: (at: number, ticks: number) => number;
}

/** Looks for the ends of inline code; each run of backticks is looked at once. */
function createCodeSpans(text: string): CodeSpans {
  let nextOf: ReadonlyMap<number, number> | null = null;
  return {
    endOf: (at, ticks) => {
      nextOf ??= pairTicks(text);
      const closing = nextOf.get(at);
      return closing === undefined ? -1 : closing + ticks;
    },
  };
}

/** For each run of backticks the next one of the same length. */
function pairTicks(text: string): ReadonlyMap<number, number> {
  const next = new Map<number, number>();
  const last = new Map<number, number>();
  for (const { 0: ticks, index } of text.matchAll(/`+/g)) {
    const opening = last.get(ticks.length);
    if (opening !== undefined) next.set(opening, index);
    last.set(ticks.length, index);
  }
  return next;
}

/** What stands outside of tags, of one line. */
interface OutsideLine {
  readonly text: string;
  /** True in a code fence: it says nothing. */
  readonly isFenced: boolean;
}

/** Text from an opening tag on, until each tag that opened in it is closed. */
interface TagRegion {
  /** Characters so far. */
  readonly length: () => number;
  /** True once the first tag is closed. */
  readonly isClosed: () => boolean;
  readonly text: (raw: string, isFenced: boolean) => void;
  /** An opening or closing tag, or a mark of CDATA. */
  readonly tag: (raw: string, isFenced: boolean) => void;
  /** Adds the events of all closed tags that stand in no other closed one, reports the others; returns the lines outside of them. */
  readonly resolve: (found: SignalCollector, why: string) => readonly OutsideLine[];
}

interface Piece {
  raw: string;
  readonly isFenced: boolean;
  readonly isText: boolean;
  /** For an opening tag: the place of its closing one. */
  end?: number;
}

/** Tags are matched as brackets are. A tag in a fence closes none outside of it, unless nothing is open in the fence. */
function createTagRegion(): TagRegion {
  const pieces: Piece[] = [];
  const open: Piece[] = [];
  let length = 0;
  let isInData = false;

  const add = (piece: Piece): void => {
    length += piece.raw.length;
    if (!piece.isFenced) while (open.at(-1)?.isFenced === true) open.pop();
    pieces.push(piece);
  };
  const text = (raw: string, isFenced: boolean): void => {
    const last = pieces.at(-1);
    if (last === undefined || !last.isText || last.isFenced !== isFenced) return add({ raw, isFenced, isText: true });
    last.raw += raw;
    length += raw.length;
  };
  const tag = (raw: string, isFenced: boolean): void => {
    const isText = isInData || raw.startsWith('<!') || raw === ']]>';
    isInData = raw.startsWith('<!') || (isInData && raw !== ']]>');
    if (isText) return text(raw, isFenced);
    const piece: Piece = { raw, isFenced, isText };
    add(piece);
    if (isOpening(piece)) open.push(piece);
    if (isOpening(piece) && !raw.endsWith('/>')) return;
    const closed = open.pop();
    if (closed !== undefined) closed.end = pieces.length - 1;
  };
  const resolve: TagRegion['resolve'] = (found, why) => {
    const lines = createLines();
    for (let at = 0; at < pieces.length; at += 1) {
      const piece = pieces[at] as Piece;
      if (!isOpening(piece) || piece.isFenced) lines.add(piece.raw, piece.isFenced);
      else if (piece.end === undefined) found.report(why, piece.raw);
      else {
        addEvent(piece.raw, pieces.slice(at + 1, piece.end), found);
        at = piece.end;
      }
    }
    return lines.finish();
  };
  return { length: () => length, isClosed: () => open.length === 0, text, tag, resolve };
}

function isOpening({ raw, isText }: Piece): boolean {
  return !isText && raw.startsWith('<event');
}

/** Puts text together to lines. The rest of the first tag's own line is none: what stood before that tag is known to the reader already. */
function createLines(): { readonly add: (text: string, isFenced: boolean) => void; readonly finish: () => readonly OutsideLine[] } {
  const lines: OutsideLine[] = [];
  let open = '';
  return {
    add: (text, isFenced) => {
      const parts = text.split('\n');
      for (const part of parts.slice(0, -1)) {
        lines.push({ text: open + part, isFenced });
        open = '';
      }
      open += parts.at(-1) ?? '';
    },
    finish: () => (open === '' ? lines : [...lines, { text: open, isFenced: false }]).slice(1),
  };
}

function addEvent(raw: string, body: readonly Piece[], found: SignalCollector): void {
  const values = new Map<string, string>();
  for (const match of raw.matchAll(/([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    values.set(match[1] as string, decodeText(match[2] ?? match[3] ?? '').trim());
  }
  const topic = values.get('topic') ?? '';
  if (!isTopic(topic)) {
    const what = topic === '' ? 'an <event> tag without a topic' : `an <event> tag whose topic "${topic.slice(0, 80)}" is not a topic`;
    return found.report(what, raw);
  }
  const target = values.get('target') ?? '';
  const payload = decodeBody(body.map((piece) => piece.raw).join('')).trim();
  const signal: EventSignal = { kind: 'event', channel: 'text', topic, payload };
  found.add(target === '' ? signal : { ...signal, target });
}

const DATA_START = '<![CDATA[';
const DATA_END = ']]>';

/** The text that a body stands for: CDATA as it is, entities elsewhere. */
function decodeBody(body: string): string {
  let text = '';
  let at = 0;
  for (let start = body.indexOf(DATA_START); start !== -1; start = body.indexOf(DATA_START, at)) {
    const end = body.indexOf(DATA_END, start);
    if (end === -1) break;
    text += decodeText(body.slice(at, start)) + body.slice(start + DATA_START.length, end);
    at = end + DATA_END.length;
  }
  return text + decodeText(body.slice(at));
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** What is no entity of XML stays as it is: `&nbsp;`, `a && b`. */
function decodeText(text: string): string {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));/g,
    (raw, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? raw;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
      return isCharacter(code) ? String.fromCodePoint(code) : raw;
    },
  );
}

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
