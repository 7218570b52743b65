import { isJsonObject, type Json, maskControls } from '../../core/index.ts';
import type { ToolAnswer, ToolCallPart } from '../../ports/index.ts';
import type { TurnParts, TurnState } from '../session/turn-parts.ts';

const SUMMARY_CHARACTERS = 200;

/**
 * Runs the calls of one answer: at the same time where all of them only read, else one after the other. The results are in the order of the calls.
 * What is not begun when the turn is stopped is not run, nor is a call whose arguments were cut off.
 *
 * @param cutAt the output tokens at which the answer was cut off, `null` where their number is not known; absent: it was not
 */
export async function runToolCalls(
  parts: TurnParts,
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

async function refuseCut({ transcript }: TurnParts, { id, name }: ToolCallPart, cutAt: number | null): Promise<ToolAnswer> {
  const limit = cutAt === null ? 'the most output tokens' : `${cutAt} output tokens`;
  const text = `Your call was cut off at ${limit}: nothing was done. Write smaller parts, for example the beginning of the file first and the rest with further calls.`;
  const result: ToolAnswer = { id, name, text, isError: true };
  transcript.append({ type: 'tool-result', result, durationMs: 0 });
  return result;
}

const STOPPED = 'The turn was stopped before this call was run: nothing was done.';

async function runCall(parts: TurnParts, { published }: TurnState, { id, name, args }: ToolCallPart): Promise<ToolAnswer> {
  const { model, tools, transcript, tell, now, signal } = parts;
  if (signal.aborted) return { id, name, text: STOPPED, isError: true };
  const shown = toShownName(name);
  const summary = toLine(tools.redact(summarise(args)));
  const used = { tool: shown, ...(summary === '' ? {} : { use: summary }) };
  tell({ type: 'tool-start', id, name: shown, summary });
  transcript.append({ type: 'tool-start', id, name });
  // What changes something may outlive a power cut, so its beginning has to as well.
  if (!tools.isReadOnly(name)) transcript.flush();
  const startedAt = now();
  const known = new Map(tools.reads);
  const { facts, shown: picture, ...said } = await tools.call(name, args);
  const isShown = picture !== undefined && model.takes?.includes(picture.file.mediaType) === true;
  const { text, isError } = isShown ? { text: picture.text, isError: false } : said;
  const answer: ToolAnswer = { id, name, text, isError, ...(isShown ? { file: picture.file } : {}) };
  const read = [...tools.reads].filter(([path, record]) => known.get(path) !== record);
  const seen = { ...(facts === undefined ? {} : { facts }), ...(read.length === 0 ? {} : { reads: Object.fromEntries(read) }) };
  // What a stop cut off and may be done again has no result: whoever takes the conversation up does it then.
  if (!(signal.aborted && isError && (await tools.mayRepeat(name, args))))
    transcript.append({ type: 'tool-result', result: answer, durationMs: now() - startedAt, ...seen });
  if (!isError && typeof facts?.['topic'] === 'string') published.add(facts['topic']);
  tell({ type: 'tool-end', id, name: shown, ok: !isError, summary: toLine(text) });
  if (facts?.['violation'] !== undefined) tell({ type: 'tool-denied', denial: { ...used, layer: 'profile', reason: toLine(text) } });
  if (typeof facts?.['stopped'] === 'string')
    tell({ type: 'tool-denied', denial: { ...used, layer: 'os', reason: toLine(facts['stopped']) } });
  return answer;
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
  const line = text
    .slice(0, SUMMARY_CHARACTERS * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return maskControls(line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS)}…` : line);
}
