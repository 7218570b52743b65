import type { EventSignal, Signal, SignalCollector } from '../events/event.ts';
import { isTopic } from '../events/topics.ts';
import { type Json, parseJson } from '../values/json.ts';

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
 * Reads a signal that has a line to itself: `EVENT:topic`, `EVENT:topic:{json}`, `HAT_TRANSITION:hat`; `null` for any
 * other line. JSON that the line begins and does not end goes on in the next ones. What follows the topic and is not JSON is taken as text, with
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

/** An `EVENT:` line whose JSON goes on in the next lines. */
interface OpenJson {
  readonly kind: 'open-json';
  readonly topic: string;
  /** The line itself, for a report. */
  readonly line: string;
  readonly text: string;
  readonly end: JsonEnd;
}

/** Reads the rest of JSON that began on an `EVENT:` line. */
interface JsonLines {
  readonly open: (json: OpenJson) => void;
  /** True if the line belongs to the JSON that is open. */
  readonly take: (line: string) => boolean;
  /** Gives up: the first line counts as text, with a report; those after it are handed back. */
  readonly drop: () => void;
}

/** How far JSON goes in a text. */
interface JsonEnd {
  /** Brackets that are open at the end of the text. */
  readonly depth: number;
  /** Behind the bracket that closes the first one; -1 where none does. */
  readonly at: number;
}

const MAX_LENGTH = 4_000_000;
/** How a line begins that goes on with JSON. Words do not. */
const GOES_ON = /^\s*(?:$|[[\]{}",:\d-]|(?:true|false|null)\b)/;

/**
 * A reader that adds the event when its JSON is whole.
 *
 * @param release gets the lines that were no JSON after all
 */
export function createJsonLines(found: SignalCollector, release: (line: string) => void): JsonLines {
  let json: OpenJson | null = null;
  let lines: string[] = [];
  let depth = 0;
  let length = 0;

  const drop = (): void => {
    if (json === null) return;
    const { topic, line, text } = json;
    const rest = lines;
    json = null;
    reportText(found, topic, line);
    found.add(toSignal(topic, text));
    for (const held of rest) release(held);
  };
  const finish = ({ topic, text }: OpenJson): void => {
    const value = parseJson([text, ...lines].join('\n'));
    if (value === undefined) return drop();
    json = null;
    found.add(toSignal(topic, value));
  };
  const take = (line: string): boolean => {
    if (json === null) return false;
    const end = GOES_ON.test(line) ? findJsonEnd(line, depth) : null;
    if (end === null || length + line.length > MAX_LENGTH) {
      drop();
      return false;
    }
    lines.push(end.at === -1 ? line : line.slice(0, end.at));
    length += line.length;
    depth = end.depth;
    if (end.at !== -1) {
      reportRest(found, json.topic, line.slice(end.at));
      finish(json);
    }
    return true;
  };
  const open = (begun: OpenJson): void => {
    json = begun;
    lines = [];
    depth = begun.end.depth;
    length = begun.text.length;
  };
  return { open, take, drop };
}

/** Finds where the brackets of a line are balanced, given how many are open before it; `null` where a string is left open: JSON has none over lines. */
function findJsonEnd(line: string, before: number): JsonEnd | null {
  let depth = before;
  let isString = false;
  for (let at = 0; at < line.length; at += 1) {
    const letter = line[at];
    if (isString) {
      if (letter === '\\') at += 1;
      else if (letter === '"') isString = false;
    } else if (letter === '"') isString = true;
    else if (letter === '{' || letter === '[') depth += 1;
    else if (letter === '}' || letter === ']') depth -= 1;
    if (depth === 0 && !isString) return { depth, at: at + 1 };
  }
  return isString ? null : { depth, at: -1 };
}

/** Words behind the JSON are no part of it; decoration and a full stop are none. */
function reportRest(found: SignalCollector, topic: string, rest: string): void {
  if (!/^[\s*_~`.,;!]*$/.test(rest)) found.report(`EVENT:${topic}: has words behind its JSON; they are left out`, rest.trim());
}

/** What is not JSON counts as text. */
function reportText(found: SignalCollector, topic: string, line: string): void {
  found.report(`EVENT:${topic}: is not followed by valid JSON; taken as text`, line);
}

function toSignal(topic: string, payload: Json): EventSignal {
  return { kind: 'event', channel: 'text', topic, payload: payload };
}
