import type { EventSignal } from './event.ts';
import type { SignalCollector } from './signal-collector.ts';
import { isTopic } from './topics.ts';

/** What stands outside of tags, of one line. */
export interface OutsideLine {
  readonly text: string;
  /** True in a code fence: it says nothing. */
  readonly isFenced: boolean;
}

/** Text from an opening tag on, until each tag that opened in it is closed. */
export interface TagRegion {
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
export function createTagRegion(): TagRegion {
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
    if (!isOpening(piece) || raw.endsWith('/>')) Object.assign(open.pop() ?? {}, { end: pieces.length - 1 });
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

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** What is no entity of XML stays as it is: `&nbsp;`, `a && b`. */
function decodeText(text: string): string {
  return text.replace(
    /&(?:(lt|gt|amp|quot|apos)|#(\d{1,7})|#x([0-9A-Fa-f]{1,6}));/g,
    (raw, name?: string, decimal?: string, hex?: string) => {
      if (name !== undefined) return NAMED[name] ?? raw;
      const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number.parseInt(decimal, 10);
      return isCharacter(code) ? String.fromCodePoint(code) : raw;
    },
  );
}

function isCharacter(code: number): boolean {
  return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}
