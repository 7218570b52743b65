import type { Signal } from './event.ts';
import { type Json, parseJson } from './json.ts';
import { findJsonEnd, type OpenJson, reportRest, reportText } from './json-lines.ts';
import type { SignalCollector } from './signal-collector.ts';
import { isTopic } from './topics.ts';

/** What may stand before a signal on its line: list, heading and quote marks, then emphasis or quotation marks. */
const BEFORE = /^\s*(?:(?:[-*+•#]+|\d{1,9}[.)])\s+|>\s*)*([*_~`"']*)$/;
/** The same for the promise: a quotation, inline code and struck out words only speak of it. */
const BEFORE_PROMISE = /^\s*(?:(?:[-*+•#]+|\d{1,9}[.)])\s+)*[*_"']*$/;
const AFTER_PROMISE = /^[*_"']*[.!]?[*_"']*(?:\s+#+)?$/;
/** Longer decoration is no decoration. */
const MAX_DECORATION = 80;
const EMPHASIS = '*_~`';
const EVENT = 'EVENT:';
const TRANSITION = 'HAT_TRANSITION:';

/** True if the line is the promise and nothing else but decoration: emphasis, quotation marks, a list mark, a heading mark. */
export function isPromiseLine(line: string, promise: string): boolean {
  const text = line.trim();
  if (promise === '' || text.length > promise.length + MAX_DECORATION) return false;
  const start = text.indexOf(promise);
  return start >= 0 && BEFORE_PROMISE.test(text.slice(0, start)) && AFTER_PROMISE.test(text.slice(start + promise.length));
}

/**
 * Reads seed 000's signals from a line of their own: `EVENT:topic`, `EVENT:topic:{json}`, `HAT_TRANSITION:hat`; `null` where it is
 * another line. JSON that the line begins and does not end goes on in the next ones. What follows the topic and is not JSON is taken as text, with
 * a report.
 */
export function parseSignalLine(line: string, found: SignalCollector): Signal | OpenJson | null {
  const hat = readAfter(line, TRANSITION);
  if (hat !== null) return /^[A-Za-z0-9_-]+$/.test(hat) ? { kind: 'transition', hat } : null;
  const after = readAfter(line, EVENT);
  if (after === null) return null;
  const cut = after.indexOf(':');
  const topic = (cut < 0 ? after : after.slice(0, cut)).trim();
  if (topic === '' || /\s/.test(topic)) return null;
  if (!isTopic(topic)) {
    found.report(`EVENT: line whose topic "${topic.slice(0, 80)}" is not a topic`, line);
    return null;
  }
  const text = cut < 0 ? '' : after.slice(cut + 1).trim();
  const end = /^[[{]/.test(text) ? findJsonEnd(text, 0) : null;
  if (end?.at === -1) return { kind: 'open-json', topic, line, text, end };
  const json = text === '' ? '' : parseJson(text);
  const payload = json === undefined ? parseStart(text, topic, end?.at ?? 0, found) : json;
  if (payload === undefined) reportText(found, topic, line);
  return { kind: 'event', channel: 'text', topic, payload: payload === undefined ? text : payload };
}

/** JSON and words behind it: the JSON. */
function parseStart(text: string, topic: string, end: number, found: SignalCollector): Json | undefined {
  const json = end === 0 ? undefined : parseJson(text.slice(0, end));
  if (json !== undefined) reportRest(found, topic, text.slice(end));
  return json;
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
