import { toOneLine } from '../../core/text/shorten.ts';
import type { JsonObject } from '../../core/values/json.ts';
import { createJsonTranslator, type StreamRecorder } from '../stream/json-translator.ts';
import { numberAt, objectAt, textAt, toInputSummary, toOutputSummary, toUsage, withoutCached } from '../stream/read-fields.ts';
import type { ExitFacts, Translator } from '../stream/translator.ts';

/** Translates `gemini -o stream-json`. It tells no cost, and echoes the prompt as the user's message. */
export function createGeminiTranslator(): Translator {
  return createJsonTranslator({
    read(event, turn) {
      const type = textAt(event, 'type');
      if (type === 'init') turn.session(textAt(event, 'session_id'), textAt(event, 'model'));
      if (type === 'message' && textAt(event, 'role') === 'assistant') turn.delta(textAt(event, 'content'));
      if (type === 'tool_use') {
        turn.endMessage();
        turn.toolStart(textAt(event, 'tool_id'), textAt(event, 'tool_name'), toInputSummary(event['parameters']));
      }
      if (type === 'tool_result') {
        const error = textAt(objectAt(event, 'error'), 'message');
        const failure = error ? toOneLine(error) : toShellFailure(textAt(event, 'output'));
        const ok = textAt(event, 'status') !== 'error' && failure === '';
        // How a command that printed something ended, it does not tell.
        const isKnown = !ok || turn.nameOf(textAt(event, 'tool_id')) !== 'run_shell_command' || textAt(event, 'output').trim() === '';
        turn.toolEnd(textAt(event, 'tool_id'), isKnown ? ok : null, failure || toOutputSummary(event['output']));
      }
      if (type === 'error') turn.warn(textAt(event, 'message'));
      if (type === 'result') readResult(event, turn);
    },
    close: judgeByExitCode,
  });
}

/** It calls every command a success; how one ended it tells only of those that print nothing. */
function toShellFailure(output: string): string {
  const [, exitCode, signal] = /^Command (?:exited with code: (\d+)|terminated by signal: (\w+))$/.exec(output.trim()) ?? [];
  if (exitCode !== undefined) return `exit code ${exitCode}`;
  return signal === undefined ? '' : `signal ${signal}`;
}

function readResult(event: JsonObject, turn: StreamRecorder): void {
  const stats = objectAt(event, 'stats');
  const cacheRead = numberAt(stats, 'cached');
  const input = numberAt(stats, 'input') ?? withoutCached(numberAt(stats, 'input_tokens'), cacheRead);
  turn.setUsage(toUsage({ input, output: numberAt(stats, 'output_tokens'), cacheRead }));
  const error = objectAt(event, 'error');
  if (textAt(event, 'status') === 'success') turn.succeed();
  else turn.fail({ message: textAt(error, 'message') || textAt(error, 'type') || 'the agent reported an error' });
}

/** Without a result the exit code may be all there is: this CLI exits with the HTTP status modulo 256. */
function judgeByExitCode(turn: StreamRecorder, exit: ExitFacts): void {
  const status = STATUS_OF_EXIT.get(exit.exitCode ?? 0);
  if (turn.final === null && status !== undefined) {
    turn.fail({
      message: `HTTP ${status} from the model (exit code ${exit.exitCode}): ${toOneLine(exit.stderrTail.slice(-600), 600)}`,
      httpStatus: status,
    });
  }
}

const STATUS_OF_EXIT = new Map([400, 401, 403, 404, 429, 500, 502, 503, 504].map((status) => [status % 256, status]));
