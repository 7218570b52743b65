import { addUsage, UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { isJsonObject, type JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage } from '../stream/read-fields.ts';
import type { Translator } from '../stream/translator.ts';

/** A line of its log about a call of the agent's model, and one that says how it failed. */
const CALL = /^timestamp=\S+ level=\w+ .*message=(?:stream|"stream error") .*\bsmall=false\b/;
const CALL_FAILED = /message="stream error" .*\berror\.error="(?:AI_\w+: )?((?:[^"\\]|\\.){0,4000})/;

/**
 * Translates `opencode run --format json`, and its log (`--print-logs`): refused calls of the model that it makes again are told only there. There is no final event: the end of the process is the end of the turn, and it went well
 * if the last step was finished for another reason than a tool call and no error was told after it.
 */
export function createOpencodeTranslator(): Translator {
  let isStepDone = false;
  let isAsking = false;
  let total = UNKNOWN_USAGE;

  function finishStep(part: JsonObject, turn: StreamRecorder): void {
    turn.endMessage();
    const tokens = objectAt(part, 'tokens');
    const cache = objectAt(tokens, 'cache');
    const [input, cacheRead, cacheWrite] = [numberAt(tokens, 'input'), numberAt(cache, 'read'), numberAt(cache, 'write')];
    const sent = (input ?? 0) + (cacheRead ?? 0) + (cacheWrite ?? 0);
    // Versions differ in whether reasoning is part of the output; the total, where it is told, settles it.
    const output = Math.max((numberAt(tokens, 'total') ?? 0) - sent, numberAt(tokens, 'output') ?? 0);
    const step = toUsage({ input, output, cacheRead, cacheWrite, costUsd: numberAt(part, 'cost') });
    total = addUsage(total, step);
    turn.setUsage(total);
    isStepDone = textAt(part, 'reason') !== 'tool-calls';
  }

  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      const part = objectAt(event, 'part');
      turn.session(textAt(event, 'sessionID'), null);
      if (type === 'step_start') {
        turn.endMessage();
        turn.reopen();
        turn.progress();
        isStepDone = false;
      }
      if (type === 'text') turn.whole(textAt(part, 'text'), textAt(part, 'messageID') || undefined);
      if (type === 'reasoning') turn.thinking(textAt(part, 'text'));
      if (type === 'tool_use') readTool(part, turn);
      if (type === 'step_finish') finishStep(part, turn);
      if (type === 'error') readError(event, turn);
    },
    log: {
      read(line, turn) {
        // The title of a session is made by a model of its own.
        if (!CALL.test(line)) return;
        const failed = CALL_FAILED.exec(line);
        isAsking = failed === null;
        if (failed !== null) turn.retry({ message: (failed[1] ?? '').replace(/\\(["\\])/g, '$1') || 'a call of the model failed' }, null);
      },
      isAtWork: () => isAsking,
    },
    close(turn, exit) {
      if (turn.final === null && isStepDone && exit.exitCode === 0) turn.succeed();
    },
  });
}

function readTool(part: JsonObject, turn: StreamRecorder): void {
  const state = objectAt(part, 'state');
  const id = textAt(part, 'callID');
  turn.toolStart(id, textAt(part, 'tool'), toInputSummary(state['input']));
  const exitCode = numberAt(objectAt(state, 'metadata'), 'exit');
  const ok = textAt(state, 'status') === 'completed' && (exitCode ?? 0) === 0;
  turn.toolEnd(id, ok, textAt(state, 'error') ? toOneLine(textAt(state, 'error')) : toOutputSummary(state['output']));
}

function readError(event: JsonObject, turn: StreamRecorder): void {
  const error = event['error'];
  const data = objectAt(error, 'data');
  const message =
    textAt(data, 'message') ||
    textAt(error, 'message') ||
    textAt(error, 'name') ||
    (isJsonObject(error) ? JSON.stringify(error) : 'unknown error');
  turn.fail({ message, httpStatus: numberAt(data, 'statusCode') });
}
