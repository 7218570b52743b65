import type { Signal } from './event.ts';
import { toBoundedPayload } from './inbox-line.ts';
import { parseJson } from './json.ts';
import type { SignalCollector } from './signal-collector.ts';
import { isTopic } from './topics.ts';

/** What may stand before a signal on its line: list, heading and quote marks, then emphasis or quotation marks. */
const BEFORE = /^\s*(?:(?:[-*+•#]+|\d{1,9}[.)])\s+|>\s*)*([*_~`"']*)$/;
const AFTER_PROMISE = /^[*_~`"']*[.!]?[*_~`"']*$/;
/** Longer decoration is no decoration. */
const MAX_DECORATION = 80;
const EMPHASIS = '*_~`';
const EVENT = 'EVENT:';
const TRANSITION = 'HAT_TRANSITION:';

/** True if the line is the promise and nothing else but decoration: emphasis, a list mark, a quote mark, a heading mark. */
export function isPromiseLine(line: string, promise: string): boolean {
  const text = line.trim();
  if (promise === '' || text.length > promise.length + MAX_DECORATION) return false;
  const start = text.indexOf(promise);
  return start >= 0 && BEFORE.test(text.slice(0, start)) && AFTER_PROMISE.test(text.slice(start + promise.length));
}

/**
 * Reads seed 000's signals from a line of their own: `EVENT:topic`, `EVENT:topic:{json}`, `HAT_TRANSITION:hat`; `null` where it is
 * another line. What follows the topic and is not JSON is taken as text, with a report.
 */
export function parseSignalLine(line: string, found: SignalCollector): Signal | null {
  const hat = readAfter(line, TRANSITION);
  if (hat !== null) return /^[A-Za-z0-9_-]+$/.test(hat) ? { kind: 'transition', hat } : null;
  const text = readAfter(line, EVENT);
  if (text === null) return null;
  const cut = text.indexOf(':');
  const topic = (cut < 0 ? text : text.slice(0, cut)).trim();
  if (topic === '' || /\s/.test(topic)) return null;
  if (!isTopic(topic)) {
    found.report(`EVENT: line whose topic "${topic.slice(0, 80)}" is not a topic`, line);
    return null;
  }
  return {
    kind: 'event',
    channel: 'text',
    topic,
    payload: toBoundedPayload(parsePayload(cut < 0 ? '' : text.slice(cut + 1).trim(), topic, line, found)),
  };
}

function parsePayload(text: string, topic: string, line: string, found: SignalCollector): ReturnType<typeof toBoundedPayload> {
  if (text === '') return '';
  const json = parseJson(text);
  if (json !== undefined) return json;
  found.report(`EVENT:${topic}: is not followed by valid JSON; taken as text`, line);
  return text;
}

/** What follows the mark, if the mark begins the line but for decoration; decoration that was opened before it is taken off the end. */
function readAfter(line: string, mark: string): string | null {
  const start = line.indexOf(mark);
  if (start < 0 || start > MAX_DECORATION) return null;
  const before = BEFORE.exec(line.slice(0, start));
  if (before === null) return null;
  const rest = line.slice(start + mark.length).trim();
  return before[1] === '' ? rest : trimEmphasis(rest);
}

function trimEmphasis(text: string): string {
  let end = text.length;
  while (end > 0 && EMPHASIS.includes(text[end - 1] as string)) end -= 1;
  return text.slice(0, end).trim();
}
