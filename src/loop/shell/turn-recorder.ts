import type { BackendEvent } from '../../core/backends/backend-event.ts';
import type { EventSignal, MissedSignal, Signal, SignalProblem } from '../../core/events/event.ts';
import { isPromiseLine } from '../../core/signals/signal-lines.ts';
import { createTextSignalScanner } from '../../core/signals/text-signals.ts';
import { MAX_KEPT_DENIALS, type ToolDenial } from '../../core/tools/scope-violations.ts';

/** What is kept of the last assistant message, in characters. */
const FINAL_TEXT_LIMIT = 16_384;
/** A line of text without an end is looked at in pieces of this size, so that memory stays bounded. */
const LINE_LIMIT = 1_000_000;

/** What the assistant's own words amounted to. */
export interface RecordedText {
  readonly signals: readonly Signal[];
  readonly problems: readonly SignalProblem[];
  readonly finalText: string;
  /** What looks like a signal and is none, less what only repeats a line of the prompt. */
  readonly missed: readonly MissedSignal[];
  /** Uses of tools that only published an event or claimed the end. */
  readonly signalCalls: number;
  /** The first of them. */
  readonly denials: readonly ToolDenial[];
  /** How many there were. */
  readonly denied: number;
  readonly model: string | null;
  readonly sessionId: string | null;
}

/** Listens to one turn. */
export interface TurnRecorder {
  readonly take: (event: BackendEvent) => void;
  readonly finish: () => RecordedText;
}

/**
 * Listens to a turn's stream, at bounded memory: finds the signals in the assistant's text and keeps the last message.
 * A message that ended is the last one until another one says something.
 */
export function createTurnRecorder(promise: string, prompt = ''): TurnRecorder {
  const scanner = createTextSignalScanner(promise);
  const facts = { signalCalls: 0, denied: 0, model: null as string | null, sessionId: null as string | null };
  const denials: ToolDenial[] = [];
  let open = '';
  let finalText = '';
  let isClosed = false;

  const takeText = (text: string): void => {
    if (isClosed) {
      scanner.nextMessage();
      finalText = '';
      isClosed = false;
    }
    finalText += text;
    // Cut now and then: cutting at every piece would copy the whole text for each line.
    if (finalText.length > FINAL_TEXT_LIMIT * 4) finalText = finalText.slice(-FINAL_TEXT_LIMIT);
    let start = 0;
    // Looks for ends of lines in what is new alone: what is open may have come in many small pieces.
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      scanner.line(open + text.slice(start, end));
      open = '';
      start = end + 1;
    }
    open += text.slice(start);
    if (open.length > LINE_LIMIT) closeLine();
  };
  const closeLine = (): void => {
    if (open !== '') scanner.line(open);
    open = '';
  };
  const closeMessage = (): void => {
    closeLine();
    isClosed = true;
  };

  return {
    take: (event) => {
      if (event.type === 'text') takeText(event.text);
      else if (event.type === 'message-end') closeMessage();
      else if (event.type === 'tool-start') facts.signalCalls += isSignalCall(event) ? 1 : 0;
      else if (event.type === 'tool-denied') takeDenial(event.denial, denials, facts);
      else if (event.type === 'session') Object.assign(facts, { model: event.model ?? facts.model, sessionId: event.sessionId });
    },
    finish: () => {
      closeLine();
      const { signals, problems, promised, missed } = scanner.finish();
      return {
        ...facts,
        denials,
        signals: promised ? [...signals, { kind: 'promise', channel: 'text' }] : signals,
        problems,
        missed: missed.filter(({ line }) => isPromiseLine(line, promise) || !hasLine(prompt, line)),
        finalText: finalText.slice(-FINAL_TEXT_LIMIT).trim(),
      };
    },
  };
}

/** Counts it, and keeps it if it is one of the first. */
function takeDenial(denial: ToolDenial, denials: ToolDenial[], facts: { denied: number }): void {
  facts.denied += 1;
  if (denials.length < MAX_KEPT_DENIALS) denials.push(denial);
}

/** True if it is a line of the prompt, or a part of a long one: an agent that repeats its orders means nothing by them. */
function hasLine(prompt: string, line: string): boolean {
  return prompt.includes(line) && prompt.split('\n').some((text) => text.trim() === line || (line.length >= 200 && text.includes(line)));
}

/** The signals of a turn, of the channels that are on; the promise counts on any. */
export function selectSignals(sources: readonly string[], written: readonly EventSignal[], text: readonly Signal[]): readonly Signal[] {
  const fromFile = sources.includes('jsonl') ? written : [];
  const fromText = sources.includes('text') ? text : text.filter((signal) => signal.kind === 'promise');
  return [...fromFile, ...fromText];
}

/** The tools that publish or claim the end, ours and as CLIs name those of an MCP server. */
const SIGNAL_TOOL = /(?:^|[^a-z])(?:emit_event|task_complete)$/;
/** Tools that run a command line. */
const SHELL_TOOL = /^(?:\w*shell\w*|bash|execute?|exec\w*|run_command|terminal|local_shell)$/i;
/** `ralph emit …` alone, as it is or within `bash -lc '…'`. */
const EMIT =
  /^(?:(?:\S*\/)?(?:ba|z|da)?sh\s+-l?c\s+)?(?:["']\s*["']?)?(?:\S*\/ralph|ralph|\$RALPH_BIN|\$\{RALPH_BIN\})["']?\s+emit\s(.*)$/s;
/** Outside of quotes these begin another command, or write a file. */
const QUOTED = /"(?:[^"\\]|\\.)*"|'[^']*'/g;
const FURTHER_COMMAND = /[;&|<>\n]/;
const SUBSTITUTION = /`|\$\(/;
/** A longer name or command line is not looked at: it is work. */
const MAX_NAME = 200;
const MAX_LENGTH = 4000;

/**
 * Whether the use of a tool did nothing but publish an event or claim the end: that is said, not done.
 *
 * @param summary what the stream of the agent tells of its arguments, a command line of a shell
 */
export function isSignalCall({ name, summary }: { readonly name: string; readonly summary: string }): boolean {
  if (name.length > MAX_NAME) return false;
  if (SIGNAL_TOOL.test(name)) return true;
  const rest = summary.length <= MAX_LENGTH && SHELL_TOOL.test(name) ? EMIT.exec(summary.trimStart())?.[1] : undefined;
  return rest !== undefined && !SUBSTITUTION.test(rest) && !FURTHER_COMMAND.test(rest.replace(QUOTED, ''));
}
