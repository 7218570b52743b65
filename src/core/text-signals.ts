import type { EventSignal, Signal, SignalProblem } from './event.ts';
import { toBoundedPayload } from './inbox-line.ts';
import { parseJson } from './json.ts';
import { isTopic } from './topics.ts';

/** An event tag that is open: its attributes and what came so far. */
interface OpenTag {
  readonly topic: string;
  readonly target: string | undefined;
  readonly raw: string;
  body: string[];
  length: number;
}

/** What a scanner found so far. */
export interface ScannedSignals {
  readonly signals: readonly Signal[];
  readonly problems: readonly SignalProblem[];
}

/** Reads an agent's text line by line, with memory bounded by its limits. */
export interface TextSignalScanner {
  /** One line of assistant text, without its line break. */
  readonly line: (text: string) => void;
  /** An assistant message ended: fences and tags do not reach into the next one, and the promise of this one is forgotten. */
  readonly nextMessage: () => void;
  /** The text is over. `promised`: the promise stood on a line of its own in the last message. */
  readonly finish: () => ScannedSignals & { readonly promised: boolean };
}

const FENCE = /^ {0,3}(?:[-*+] +|\d+[.)] +|> ?)*(`{3,}|~{3,})([^`]*)$/;
const OPEN_TAG = /<event((?:\s+[A-Za-z_-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/;
const CLOSE_TAG = '</event>';
const EVENT_LINE = /^\s*(?:[*_`>]+\s*)?EVENT:([A-Za-z0-9_.-]+)(?::(.*))?$/;
const TRANSITION_LINE = /^\s*(?:[*_`>]+\s*)?HAT_TRANSITION:\s*([A-Za-z0-9_-]+)\s*[*_`]*\s*$/;
const MAX_SIGNALS = 1000;
const MAX_TAG_LENGTH = 1_000_000;

/**
 * Finds the signals of seeds 004 and 000 in assistant text: `<event topic="…" target="…">…</event>`,
 * `EVENT:topic` and `EVENT:topic:{json}` and `HAT_TRANSITION:hat` on a line of their own, and the completion promise on a line of
 * its own. Nothing inside a code fence counts (decisions, sections 3 and 5).
 */
export function createTextSignalScanner(promise: string): TextSignalScanner {
  const signals: Signal[] = [];
  const problems: SignalProblem[] = [];
  let fence: string | null = null;
  let tag: OpenTag | null = null;
  let promised = false;

  const problem = (message: string, excerpt: string): void => {
    if (problems.length < MAX_SIGNALS) problems.push({ where: 'output', message, excerpt: excerpt.slice(0, 200) });
  };
  const add = (signal: Signal): void => {
    if (signals.length < MAX_SIGNALS) signals.push(signal);
    else problem(`more than ${MAX_SIGNALS} signals in one turn; this one is left out`, signal.kind === 'event' ? signal.topic : signal.kind);
  };
  const dropTag = (message: string): void => {
    if (tag !== null) problem(message, tag.raw);
    tag = null;
  };

  /** Handles the inside of tags in a line; returns what stands outside of them. */
  const takeTags = (text: string): string => {
    let rest = text;
    let outside = '';
    while (rest !== '') {
      if (tag !== null) {
        const end = rest.indexOf(CLOSE_TAG);
        if (end < 0) {
          const reopened = OPEN_TAG.exec(rest);
          if (reopened !== null) {
            dropTag('an <event> tag was never closed');
            continue;
          }
          tag.body.push(rest);
          tag.length += rest.length + 1;
          if (tag.length > MAX_TAG_LENGTH) dropTag('an <event> tag was not closed within a million characters');
          return outside;
        }
        tag.body.push(rest.slice(0, end));
        add(toEventSignal(tag.topic, tag.body.join('\n').trim(), tag.target));
        tag = null;
        rest = rest.slice(end + CLOSE_TAG.length);
        continue;
      }
      const open = OPEN_TAG.exec(rest);
      if (open === null) {
        if (/<event[\s>]/.test(rest)) problem('an <event> tag whose attributes cannot be read', rest);
        return outside + rest;
      }
      outside += rest.slice(0, open.index);
      rest = rest.slice(open.index + open[0].length);
      tag = openTag(open[1] ?? '', open[0], problem);
      if (tag !== null && open[2] === '/') {
        add(toEventSignal(tag.topic, '', tag.target));
        tag = null;
      }
    }
    return outside;
  };

  const line = (raw: string): void => {
    const text = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (tag !== null && text === '') {
      tag.body.push('');
      return;
    }
    if (tag === null) {
      const mark = FENCE.exec(text);
      if (mark !== null) {
        const ticks = mark[1] as string;
        if (fence === null) fence = ticks;
        else if (ticks[0] === fence[0] && ticks.length >= fence.length && (mark[2] ?? '').trim() === '') fence = null;
        return;
      }
      if (fence !== null) return;
    }
    const hadTag = tag !== null || text.includes('<event');
    const outside = takeTags(text);
    if (hadTag && outside.trim() === '') return;
    const signal = parseSignalLine(outside, problem);
    if (signal !== null) add(signal);
    if (isPromiseLine(outside, promise)) promised = true;
  };

  const nextMessage = (): void => {
    dropTag('an <event> tag was never closed');
    fence = null;
    promised = false;
  };

  return {
    line,
    nextMessage,
    finish: () => {
      dropTag('an <event> tag was never closed');
      return { signals, problems, promised };
    },
  };
}

/** True if the line is the promise and nothing else but decoration: emphasis, a list mark, a quote mark, a heading mark. */
export function isPromiseLine(line: string, promise: string): boolean {
  if (promise === '' || line.length > promise.length + 80) return false;
  const bare = line.trim().replace(/^(?:[-*+>#•]+\s+|\d+[.)]\s+|>\s*)+/, '');
  if (bare === promise) return true;
  const undecorated = bare.replace(/^[*_~`"']+/, '').replace(/[*_~`"']+[.!]?$/, '').replace(/[.!]$/, '');
  return undecorated === promise;
}

function openTag(attributes: string, raw: string, problem: (message: string, excerpt: string) => void): OpenTag | null {
  const values = new Map<string, string>();
  for (const match of attributes.matchAll(/([A-Za-z_-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    values.set(match[1] as string, (match[2] ?? match[3] ?? '').trim());
  }
  const topic = values.get('topic') ?? '';
  if (!isTopic(topic)) {
    problem(topic === '' ? 'an <event> tag without a topic' : `an <event> tag whose topic "${topic.slice(0, 80)}" is not a topic`, raw);
    return null;
  }
  const target = values.get('target');
  return { topic, target: target === '' ? undefined : target, raw, body: [], length: 0 };
}

function toEventSignal(topic: string, payload: string, target: string | undefined): EventSignal {
  const signal: EventSignal = { kind: 'event', channel: 'text', topic, payload: toBoundedPayload(payload) };
  return target === undefined ? signal : { ...signal, target };
}

function parseSignalLine(line: string, problem: (message: string, excerpt: string) => void): Signal | null {
  const transition = TRANSITION_LINE.exec(line);
  if (transition !== null) return { kind: 'transition', hat: transition[1] as string };
  const event = EVENT_LINE.exec(line);
  if (event === null) return null;
  const topic = (event[1] as string).replace(/[*_`]+$/, '');
  if (!isTopic(topic)) {
    problem(`EVENT: line whose topic "${topic.slice(0, 80)}" is not a topic`, line);
    return null;
  }
  const text = (event[2] ?? '').trim();
  const json = text === '' ? '' : parseJson(text);
  if (json === undefined) problem(`EVENT:${topic}: is not followed by valid JSON; taken as text`, line);
  return { kind: 'event', channel: 'text', topic, payload: toBoundedPayload(json ?? text) };
}
