import type { EventSignal } from './event.ts';
import { type Json, parseJson } from './json.ts';
import type { SignalCollector } from './signal-collector.ts';

/** An `EVENT:` line whose JSON goes on in the next lines. */
export interface OpenJson {
  readonly kind: 'open-json';
  readonly topic: string;
  /** The line itself, for a report. */
  readonly line: string;
  readonly text: string;
  readonly end: JsonEnd;
}

/** Reads the rest of JSON that began on an `EVENT:` line. */
export interface JsonLines {
  readonly open: (json: OpenJson) => void;
  /** True if the line belongs to the JSON that is open. */
  readonly take: (line: string) => boolean;
  /** Gives up: the first line counts as text, with a report; those after it are handed back. */
  readonly drop: () => void;
}

/** How far JSON goes in a text. */
export interface JsonEnd {
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
export function findJsonEnd(line: string, before: number): JsonEnd | null {
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
export function reportRest(found: SignalCollector, topic: string, rest: string): void {
  if (!/^[\s*_~`.,;!]*$/.test(rest)) found.report(`EVENT:${topic}: has words behind its JSON; they are left out`, rest.trim());
}

/** What is not JSON counts as text. */
export function reportText(found: SignalCollector, topic: string, line: string): void {
  found.report(`EVENT:${topic}: is not followed by valid JSON; taken as text`, line);
}

function toSignal(topic: string, payload: Json): EventSignal {
  return { kind: 'event', channel: 'text', topic, payload: payload };
}
