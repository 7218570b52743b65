import type { EventSignal } from './event.ts';
import { toBoundedPayload } from './inbox-line.ts';
import type { SignalCollector } from './signal-collector.ts';
import { isTopic } from './topics.ts';

/** Reads `<event topic="…" target="…">…</event>` from lines; a body may go on over many of them. */
export interface EventTagReader {
  readonly isOpen: () => boolean;
  /** True if the open tag cannot be closed any more: another one opens first, or its body has grown too long. */
  readonly isLost: (line: string) => boolean;
  /** Takes the next line; returns what of it stands outside of tags. */
  readonly take: (line: string) => string;
  /** Gives up the open tag, with a report; returns the lines that it had swallowed. */
  readonly drop: () => readonly string[];
}

interface OpenTag {
  readonly topic: string;
  readonly target: string | undefined;
  readonly raw: string;
  /** The rest of the tag's own line, then whole lines. */
  readonly body: string[];
  length: number;
}

const OPENING = /<event((?:\s+[A-Za-z_-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/;
const CLOSING = /<\/event\s*>/;
const UNREADABLE = /<event(?:[\s>]|$)/;
const MAX_BODY_LENGTH = 1_000_000;

/** A reader that gives its events and complaints to the collector, at memory bounded by the longest body (a million characters). */
export function createEventTagReader(found: SignalCollector): EventTagReader {
  let open: OpenTag | null = null;

  const keep = (tag: OpenTag, text: string): void => {
    tag.body.push(text);
    tag.length += text.length + 1;
  };
  const close = (tag: OpenTag): void => {
    found.add(toEventSignal(tag));
    open = null;
  };
  /** Takes text that begins inside a tag; returns what follows the tag's end, `null` if it does not end here. */
  const takeInside = (tag: OpenTag, text: string): string | null => {
    const end = CLOSING.exec(text);
    keep(tag, end === null ? text : text.slice(0, end.index));
    if (end === null) return null;
    close(tag);
    return text.slice(end.index + end[0].length);
  };
  /** Takes a tag that opens here; returns the text after it. */
  const takeOpening = (match: RegExpExecArray, text: string): string => {
    const [raw, attributes = '', slash = ''] = match;
    open = openTag(attributes, raw, found);
    if (open !== null && slash === '/') close(open);
    return text.slice(match.index + raw.length);
  };

  const isLost = (line: string): boolean => {
    if (open === null) return false;
    if (open.length > MAX_BODY_LENGTH) return true;
    const next = OPENING.exec(line)?.index ?? -1;
    const end = CLOSING.exec(line)?.index ?? line.length;
    return next >= 0 && next < end;
  };
  const drop = (): readonly string[] => {
    if (open === null) return [];
    found.report(open.length > MAX_BODY_LENGTH ? 'an <event> tag was not closed within a million characters' : 'an <event> tag was never closed', open.raw);
    const lines = open.body.slice(1);
    open = null;
    return lines;
  };
  const take = (line: string): string => {
    let outside = '';
    let rest: string | null = line;
    while (rest !== null) {
      if (isLost(rest)) drop();
      if (open !== null) {
        rest = takeInside(open, rest);
        continue;
      }
      const match = OPENING.exec(rest);
      if (match === null) {
        if (UNREADABLE.test(rest)) found.report('an <event> tag whose attributes cannot be read', rest);
        return outside + rest;
      }
      outside += rest.slice(0, match.index);
      rest = takeOpening(match, rest);
    }
    return outside;
  };
  return { isOpen: () => open !== null, isLost, take, drop };
}

function openTag(attributes: string, raw: string, found: SignalCollector): OpenTag | null {
  const values = new Map<string, string>();
  for (const match of attributes.matchAll(/([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    values.set(match[1] as string, (match[2] ?? match[3] ?? '').trim());
  }
  const topic = values.get('topic') ?? '';
  if (!isTopic(topic)) {
    found.report(topic === '' ? 'an <event> tag without a topic' : `an <event> tag whose topic "${topic.slice(0, 80)}" is not a topic`, raw);
    return null;
  }
  const target = values.get('target');
  return { topic, target: target === '' ? undefined : target, raw, body: [], length: 0 };
}

function toEventSignal({ topic, target, body }: OpenTag): EventSignal {
  const signal: EventSignal = { kind: 'event', channel: 'text', topic, payload: toBoundedPayload(body.join('\n').trim()) };
  return target === undefined ? signal : { ...signal, target };
}
