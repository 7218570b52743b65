import { toToldHook } from '../../core/hooks/hook-record.ts';
import { maskControls } from '../../core/text/mask-controls.ts';
import { toOneLine } from '../../core/text/shorten.ts';
import { isJsonObject, type Json } from '../../core/values/json.ts';
import type { ToolAnswer, ToolCallPart } from '../../ports/model.ts';
import type { AgentTurn, TurnState } from '../session/agent-turn.ts';
import type { CallOutcome, ReadRecord } from '../tool/tool.ts';

const SUMMARY_CHARACTERS = 200;

/**
 * Runs the calls of one answer: at the same time where all of them only read, else one after the other. The results are in the order of the calls.
 * What is not begun when the turn is stopped is not run, nor is a call whose arguments were cut off.
 *
 * @param cutAt the output tokens at which the answer was cut off, `null` where their number is not known; absent: it was not
 */
export async function runToolCalls(
  parts: AgentTurn,
  state: TurnState,
  calls: readonly ToolCallPart[],
  cutAt?: number | null,
): Promise<readonly ToolAnswer[]> {
  state.toolCalls += calls.length;
  const run = (call: ToolCallPart): Promise<ToolAnswer> =>
    cutAt !== undefined && !isJsonObject(call.args) ? refuseCut(parts, call, cutAt) : runCall(parts, state, call);
  if (calls.every((call) => parts.tools.isReadOnly(call.name))) return Promise.all(calls.map(run));
  const answers: ToolAnswer[] = [];
  for (const call of calls) answers.push(await run(call));
  return answers;
}

async function refuseCut({ transcript }: AgentTurn, { id, name }: ToolCallPart, cutAt: number | null): Promise<ToolAnswer> {
  const limit = cutAt === null ? 'the most output tokens' : `${cutAt} output tokens`;
  const text = `Your call was cut off at ${limit}: nothing was done. Write smaller parts, for example the beginning of the file first and the rest with further calls.`;
  const result: ToolAnswer = { id, name, text, isError: true };
  transcript.append({ type: 'tool-result', result, durationMs: 0 });
  return result;
}

const STOPPED = 'The turn was stopped before this call was run: nothing was done.';

/** One call: it is told and written that it begins, it is carried out, and what came of it is told and written. */
async function runCall(parts: AgentTurn, state: TurnState, call: ToolCallPart): Promise<ToolAnswer> {
  if (parts.signal.aborted) return { id: call.id, name: call.name, text: STOPPED, isError: true };
  const begun = beginCall(parts, call);
  const outcome = await parts.tools.call(call.name, call.args, call.id);
  return await endCall(parts, state, begun, outcome);
}

interface BegunCall {
  readonly call: ToolCallPart;
  /** What a person sees of it. */
  readonly shown: { readonly tool: string; readonly summary: string };
  readonly startedAt: number;
  /** What files were known to be before it. */
  readonly known: ReadonlyMap<string, ReadRecord>;
}

function beginCall({ tools, transcript, tell, now }: AgentTurn, call: ToolCallPart): BegunCall {
  const { id, name, args } = call;
  const shown = { tool: toShownName(name), summary: toLine(tools.redact(summarise(args))) };
  tell({ type: 'tool-start', id, name: shown.tool, summary: shown.summary });
  transcript.append({ type: 'tool-start', id, name });
  // What changes something may outlive a power cut, so its beginning has to as well.
  if (!tools.isReadOnly(name)) transcript.flush();
  return { call, shown, startedAt: now(), known: new Map(tools.reads) };
}

async function endCall(parts: AgentTurn, state: TurnState, begun: BegunCall, outcome: CallOutcome): Promise<ToolAnswer> {
  const { tools, transcript, tell, now, signal } = parts;
  const { call, shown, startedAt, known } = begun;
  const { id, name, args } = call;
  const answer = toAnswer(call, outcome, parts.model.takes ?? []);
  const { facts, report, hooks, messages } = outcome;
  const read = [...tools.reads].filter(([path, record]) => known.get(path) !== record);
  // What a stop cut off and may be done again has no result: the turn that goes on with the conversation does it then.
  if (!(signal.aborted && answer.isError && (await tools.mayRepeat(name, args))))
    transcript.append({
      type: 'tool-result',
      result: answer,
      durationMs: now() - startedAt,
      ...(facts === undefined ? {} : { facts }),
      ...(report === undefined ? {} : { report }),
      ...(hooks === undefined ? {} : { hooks }),
      ...(messages === undefined ? {} : { messages }),
      ...(read.length === 0 ? {} : { reads: Object.fromEntries(read) }),
    });
  tell({ type: 'tool-end', id, name: shown.tool, ok: !answer.isError, summary: toLine(answer.text) });
  const deny = (layer: 'profile' | 'os' | 'hook' | 'permissions', reason: string): void => {
    const use = shown.summary === '' ? {} : { use: shown.summary };
    tell({ type: 'tool-denied', denial: { tool: shown.tool, ...use, layer, reason: toLine(reason) } });
  };
  if (outcome.kind === 'not-offered') deny('profile', answer.text);
  if (outcome.kind === 'denied') deny('hook', answer.text);
  if (outcome.kind === 'not-permitted') deny('permissions', answer.text);
  for (const run of hooks ?? []) tell({ type: 'hook-ran', hook: toToldHook(run, shown.tool) });
  for (const { name: hook, error } of hooks ?? [])
    if (error !== null) tell({ type: 'warning', message: toLine(`the hook ${hook} failed: ${error}`) });
  state.hookMessages.push(...(messages ?? []));
  switch (report?.kind) {
    case 'published':
      if (!answer.isError) state.published.add(report.topic);
      break;
    case 'write-stopped':
      deny('os', report.line);
      break;
    case 'handed-in':
      state.isDone = true;
      break;
    case undefined:
      break;
  }
  return answer;
}

/** What the model is given: the file itself where it takes such files, else the text. */
function toAnswer({ id, name }: ToolCallPart, { text, isError, shown, notes }: CallOutcome, takes: readonly string[]): ToolAnswer {
  const said = notes === undefined ? {} : { notes };
  if (shown === undefined || !takes.includes(shown.file.mediaType)) return { id, name, text, isError, ...said };
  return { id, name, text: shown.text, isError: false, file: shown.file, ...said };
}

/** What a person sees of a name that a model made up. */
function toShownName(name: string): string {
  return maskControls(name.slice(0, 80));
}

/** Arguments that say best what a call is about, in the order in which they are looked for. */
const TELLING = ['command', 'path', 'pattern', 'url', 'query', 'topic', 'message', 'title', 'name', 'filter', 'summary'];

function summarise(args: Json): string {
  if (!isJsonObject(args)) return typeof args === 'string' ? args : JSON.stringify(args);
  const key = TELLING.find((name) => typeof args[name] === 'string');
  if (key !== undefined) return String(args[key]);
  return Object.keys(args).length === 0 ? '' : JSON.stringify(args);
}

function toLine(text: string): string {
  return maskControls(toOneLine(text, SUMMARY_CHARACTERS));
}
