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

/** An opening tag with its attributes, or a closing one: whichever comes first. */
const TAG = /<event((?:\s+[A-Za-z_-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>|<\/event\s*>/;
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
  const isLost = (line: string): boolean => open !== null && (open.length > MAX_BODY_LENGTH || isOpening(TAG.exec(line)));
  const drop = (): readonly string[] => {
    if (open === null) return [];
    const tooLong = open.length > MAX_BODY_LENGTH;
    found.report(tooLong ? 'an <event> tag was not closed within a million characters' : 'an <event> tag was never closed', open.raw);
    const lines = open.body.slice(1);
    open = null;
    return lines;
  };
  /** Takes the text before a tag, and the tag; returns what of it stands outside. */
  const takeTag = (before: string, match: RegExpExecArray): string => {
    const [raw, attributes = '', slash = ''] = match;
    const tag = open;
    if (tag === null) reportUnreadable(before, found);
    if (isOpening(match)) {
      drop();
      open = openTag(attributes, raw, found);
      if (open !== null && slash === '/') close(open);
      return tag === null ? before : '';
    }
    if (tag === null) return before + raw;
    keep(tag, before);
    close(tag);
    return '';
  };
  const take = (line: string): string => {
    if (open === null && !line.includes('<event') && !line.includes('</event')) return line;
    let outside = '';
    let rest = line;
    for (let match = TAG.exec(rest); match !== null; match = TAG.exec(rest)) {
      outside += takeTag(rest.slice(0, match.index), match);
      rest = rest.slice(match.index + match[0].length);
    }
    if (open === null) {
      reportUnreadable(rest, found);
      return outside + rest;
    }
    keep(open, rest);
    return outside;
  };
  return { isOpen: () => open !== null, isLost, take, drop };
}

function isOpening(match: RegExpExecArray | null): boolean {
  return match?.[0].startsWith('<event') === true;
}

function reportUnreadable(text: string, found: SignalCollector): void {
  if (UNREADABLE.test(text)) found.report('an <event> tag whose attributes cannot be read', text);
}

function openTag(attributes: string, raw: string, found: SignalCollector): OpenTag | null {
  const values = new Map<string, string>();
  for (const match of attributes.matchAll(/([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    values.set(match[1] as string, (match[2] ?? match[3] ?? '').trim());
  }
  const topic = values.get('topic') ?? '';
  if (!isTopic(topic)) {
    found.report(
      topic === '' ? 'an <event> tag without a topic' : `an <event> tag whose topic "${topic.slice(0, 80)}" is not a topic`,
      raw,
    );
    return null;
  }
  const target = values.get('target');
  return { topic, target: target === '' ? undefined : target, raw, body: [], length: 0 };
}

function toEventSignal({ topic, target, body }: OpenTag): EventSignal {
  const signal: EventSignal = { kind: 'event', channel: 'text', topic, payload: toBoundedPayload(body.join('\n').trim()) };
  return target === undefined ? signal : { ...signal, target };
}
