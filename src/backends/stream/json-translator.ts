import { isHopeless, type TurnFailure } from '../../core/run/turn.ts';
import { isJsonObject, type JsonObject, parseJson } from '../../core/values/json.ts';
import { classifyFailure, toExitFailure, toReadableError } from './classify-failure.ts';
import { StreamRecorder } from './stream-recorder.ts';
import type { ExitFacts, OwnLog, StreamEnd, Translator } from './translator.ts';

const MAX_STRAY_LENGTH = 4000;
const MAX_STRAY_WARNINGS = 3;

/** What differs between the JSON streams of agent CLIs. */
export interface JsonStream {
  /** One event of the stream. Whatever it holds, this must not throw. */
  read(event: JsonObject, turn: StreamRecorder): void;
  /** Reads a line of the log in which the agent tells what it tries again, and where that log is. */
  readonly log?: {
    file?(turn: StreamRecorder, env: Readonly<Record<string, string>>, cwd: string): string | null;
    read(line: string, turn: StreamRecorder): void;
    isAtWork(turn: StreamRecorder): boolean;
  };
  /** Called at the end of the process, for streams whose last event can only be known then. */
  close?(turn: StreamRecorder, exit: ExitFacts): void;
}

/** A translator for a stream of one JSON object a line. Lines that are none are kept (the last few) for telling why a turn failed. */
export function createJsonTranslator(stream: JsonStream): Translator {
  const turn = new StreamRecorder(toReadableError);
  const { log } = stream;
  let stray = '';
  let strayCount = 0;

  function noteStray(text: string): void {
    if (text.trim() === '') return;
    stray = `${stray}${text.slice(0, MAX_STRAY_LENGTH)}\n`.slice(-MAX_STRAY_LENGTH);
    strayCount += 1;
    if (strayCount <= MAX_STRAY_WARNINGS) turn.warn(`not part of the stream: ${text.trim().slice(0, 200)}`);
  }

  return {
    line(text) {
      const event = text.trimStart().startsWith('{') ? parseJson(text) : undefined;
      if (isJsonObject(event)) stream.read(event, turn);
      else noteStray(text);
      return turn.take();
    },
    isFinished: () => turn.final !== null,
    refusal(now) {
      if (turn.trouble === null || turn.final !== null) return null;
      // In a log, a try that goes well leaves no trace at once.
      if (log !== undefined && turn.retries < 2) return null;
      const failure = classifyFailure(turn.trouble, now);
      return failure.class === 'limit' || isHopeless(failure.class) ? { failure, isRepeated: turn.retries > 1 } : null;
    },
    end(exit) {
      stream.close?.(turn, exit);
      turn.endMessage();
      return toStreamEnd(turn, exit, stray);
    },
    ...(log !== undefined && { ownLog: toOwnLog(log, turn) }),
  };
}

function toOwnLog(log: NonNullable<JsonStream['log']>, turn: StreamRecorder): OwnLog {
  return {
    ...(log.file !== undefined && { file: (env, cwd) => log.file?.(turn, env, cwd) ?? null }),
    line(text) {
      log.read(text, turn);
      return turn.take();
    },
    isAtWork: () => log.isAtWork(turn),
  };
}

/** An agent tries again after what it takes for passing: where its words say nothing, that does. */
function toPassing(failure: TurnFailure): TurnFailure {
  return failure.class === 'agent' ? { ...failure, class: 'transient' } : failure;
}

function toStreamEnd(turn: StreamRecorder, exit: ExitFacts, stray: string): StreamEnd {
  const { final, usage, sessionId, toolCalls } = turn;
  const trouble = turn.trouble === null ? null : toPassing(classifyFailure(turn.trouble, exit.now));
  const facts = { events: turn.take(), trouble, usage, sessionId, toolCalls };
  if (final?.kind === 'succeeded') return { ...facts, verdict: 'succeeded', failure: null };
  if (final?.kind === 'failed') return { ...facts, verdict: 'failed', failure: classifyFailure(final.signs, exit.now) };
  return { ...facts, verdict: 'missing', failure: trouble ?? toExitFailure(exit, stray, true) };
}
