import * as z from 'zod';
import { UNKNOWN_USAGE, type Usage } from '../../core/backends/usage.ts';
import type { Json } from '../../core/values/json.ts';
import { accept, type Result, refuse } from '../../core/values/result.ts';
import type { AssistantPart, Model, ModelDelta, ModelFailure, ModelRequest, ModelStep } from '../../ports/model.ts';
import type { ModelPlace } from '../session/agent-turn.ts';
import { pause } from '../session/pause.ts';
import { fillJson, fillText, findTakeFault, takeWords } from './take-words.ts';

/**
 * A model that says what was written beforehand, and checks what it is given: so that demos and tests run the real agent with real tools, without a key.
 * Its place in the script is found by hat, turn and step, so a run that was killed goes on where it was. The turn is found by its number, or by what it is asked
 * for (`when`): a worker of a fleet knows only the turns that it took itself.
 */
export function createScriptedModel(script: ModelScript, place: ModelPlace): Model {
  let found: FoundTurn | undefined;
  let next = place.stepsBefore;
  return {
    label: 'scripted/script',
    step: async (request, observe, signal) => {
      found ??= findTurn(script, place, request);
      const { turn, number } = found;
      if (turn === undefined)
        return fail(`the script has no turn ${number === null ? `of ${place.hat} for this prompt` : `${number} of ${place.hat}`}`);
      next += 1;
      const step = turn.steps[next - 1] ?? NOTHING_LEFT;
      const where = `step ${next} of turn ${number} of ${place.hat}`;
      return runStep(step, { request, observe, signal, where });
    },
  };
}

interface FoundTurn {
  readonly turn: ModelScript['turns'][number] | undefined;
  /** From 1; `null`: turns of this hat are not counted, and none fits. */
  readonly number: number | null;
}

function findTurn({ hats, turns: others, after_last }: ModelScript, { hat, turnsBefore }: ModelPlace, request: ModelRequest): FoundTurn {
  const turns = hats[hat] ?? others;
  if (turns.some(({ when }) => when !== undefined)) {
    const prompt = readPrompt(request);
    const fitting = turns.findIndex(({ when }) => when !== undefined && [when].flat().every((text) => prompt.includes(text)));
    const index = fitting === -1 ? turns.findIndex(({ when }) => when === undefined) : fitting;
    return { turn: turns[index], number: index === -1 ? null : index + 1 };
  }
  const last = after_last === 'repeat' ? turns.length - 1 : Number.POSITIVE_INFINITY;
  return { turn: turns[Math.min(turnsBefore, last)], number: turnsBefore + 1 };
}

/** The newest message of ours. */
function readPrompt({ messages }: ModelRequest): string {
  return messages.findLast((message) => message.role === 'user')?.text ?? '';
}

/** Behind the last step: it says nothing more and calls nothing. */
const NOTHING_LEFT: ScriptStep = { calls: [], delay_ms: 0, take: {}, text: 'Done.' };

interface StepPlace {
  readonly request: ModelRequest;
  readonly observe: (delta: ModelDelta) => void;
  readonly signal: AbortSignal;
  readonly where: string;
}

async function runStep(written: ScriptStep, { request, observe, signal, where }: StepPlace): Promise<ModelStep> {
  if (written.delay_ms > 0) await pause(written.delay_ms, signal);
  if (signal.aborted) return { ok: false, failure: { class: 'aborted', message: 'stopped' } };
  const missed = findMissed(written, request);
  if (missed !== null) return fail(`${where}: ${missed}`);
  const step = fillStep(written, request);
  if (typeof step === 'string') return fail(`${where}: ${step}`);
  if (step.fail !== undefined) return { ok: false, failure: toFailure(step.fail) };
  if (step.thinking !== undefined) observe({ type: 'thinking', text: step.thinking });
  if (step.text !== undefined) observe({ type: 'text', text: step.text });
  const finish = step.calls.length > 0 ? 'tool-calls' : 'stop';
  const usage: Usage =
    step.usage === undefined ? UNKNOWN_USAGE : { ...UNKNOWN_USAGE, inputTokens: step.usage.input, outputTokens: step.usage.output };
  return { ok: true, message: { role: 'assistant', parts: toParts(step, request) }, finish, usage, responseId: null, model: null };
}

/** A step with what it takes in its words and calls; in words what there is nothing of. */
function fillStep(step: ScriptStep, request: ModelRequest): ScriptStep | string {
  const taken = takeWords(step.take, request);
  if (typeof taken === 'string') return taken;
  const calls = step.calls.map(({ tool, args }) => ({ tool, args: fillJson(args, taken) as typeof args }));
  return { ...step, calls, ...(step.text === undefined ? {} : { text: fillText(step.text, taken) }) };
}

function toParts({ thinking, text, calls }: ScriptStep, { messages }: ModelRequest): readonly AssistantPart[] {
  const parts: AssistantPart[] = [];
  if (thinking !== undefined) parts.push({ type: 'thinking', text: thinking });
  if (text !== undefined && text !== '') parts.push({ type: 'text', text });
  for (const [index, { tool, args }] of calls.entries()) {
    parts.push({ type: 'tool-call', id: `call_${messages.length}_${index + 1}`, name: tool, args: args as Json });
  }
  return parts;
}

/** What was expected and is not so; `null` where all is well. */
function findMissed({ expect }: ScriptStep, request: ModelRequest): string | null {
  if (expect === undefined) return null;
  const { messages, tools } = request;
  const offered = new Set(tools.map(({ name }) => name));
  for (const name of expect.tools) if (!offered.has(name)) return `${name} should be offered, and is not`;
  for (const name of expect.no_tools) if (offered.has(name)) return `${name} is offered, and should not be`;
  const results = messages.findLast((message) => message.role === 'tool')?.results.map(({ text }) => text) ?? [];
  for (const text of [expect.results].flat()) {
    if (!results.some((result) => result.includes(text)))
      return `no result holds "${text}"; they are: ${results.join(' | ').slice(0, 500)}`;
  }
  const prompt = readPrompt(request);
  for (const text of [expect.prompt].flat()) if (!prompt.includes(text)) return `the prompt does not hold "${text}"`;
  return null;
}

function toFailure({ class: kind, message, retry_after_ms: after }: NonNullable<ScriptStep['fail']>): ModelFailure {
  return { class: kind, message, ...(after === undefined ? {} : { retryAfterMs: after }) };
}

function fail(message: string): ModelStep {
  return { ok: false, failure: { class: 'other', message: `script: ${message}` } };
}

const CALL = z.strictObject({
  tool: z.string().min(1).describe('The name of a tool.'),
  args: z.record(z.string(), z.json()).default({}),
});

const EXPECT = z.strictObject({
  /** Tools that have to be offered. */
  tools: z.array(z.string()).default([]),
  /** Tools that must not be offered. */
  no_tools: z.array(z.string()).default([]),
  /** Texts that the results of the step before have to hold, each somewhere. */
  results: z.union([z.string(), z.array(z.string())]).default([]),
  /** Texts that the newest message of ours has to hold. */
  prompt: z.union([z.string(), z.array(z.string())]).default([]),
});

const FAIL = z.strictObject({
  class: z.enum(['transient', 'limit', 'auth', 'context-overflow', 'bad-request', 'other']).default('transient'),
  message: z.string().default('the script says so'),
  retry_after_ms: z.number().min(0).optional(),
});

const TAKE = z
  .record(
    z.string(),
    z.string().superRefine((pattern, { addIssue }) => {
      const fault = findTakeFault(pattern);
      if (fault !== null) addIssue(fault);
    }),
  )
  .refine((takes) => Object.keys(takes).every((name) => /^\w+$/.test(name)), 'a name has letters, digits and _ only');

const STEP = z.strictObject({
  expect: EXPECT.optional(),
  /** By name, what `{{name}}` stands for in `text` and in `args`: the group of a regular expression, found in what the model was given. */
  take: TAKE.default({}),
  thinking: z.string().optional(),
  text: z.string().optional(),
  calls: z.array(CALL).default([]),
  fail: FAIL.optional(),
  delay_ms: z.number().min(0).max(3_600_000).default(0),
  usage: z.strictObject({ input: z.number().min(0).default(0), output: z.number().min(0).default(0) }).optional(),
});

const TURN = z.strictObject({
  /**
   * Texts that the prompt has to hold, all of them. Turns of a hat of which one says it are not counted: the first one that fits is taken, where none does the
   * first one that does not say it.
   */
  when: z.union([z.string(), z.array(z.string())]).optional(),
  steps: z.array(STEP),
});

const SCRIPT = z
  .strictObject({
    /** By hat id, `ralph` among them: one entry for each of its turns, in their order, but for those with `when`. */
    hats: z.record(z.string(), z.array(TURN)).default({}),
    /** Turns of every hat that is not named. */
    turns: z.array(TURN).default([]),
    /** What happens after the last turn that is written: it fails (default), or the last one is used once more. */
    after_last: z.enum(['fail', 'repeat']).default('fail'),
  })
  .refine(({ hats, turns }) => turns.length > 0 || Object.keys(hats).length > 0, 'it has neither `hats` nor `turns`');

/** What a scripted model says, by hat, turn and step. */
export type ModelScript = z.output<typeof SCRIPT>;
type ScriptStep = z.output<typeof STEP>;

/** Checks a script that was read from a file; refused is what is wrong with it, in words. */
export function parseScript(value: Json): Result<ModelScript, string> {
  const parsed = SCRIPT.safeParse(value);
  if (parsed.success) return accept(parsed.data);
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`));
  return refuse(problems.join('; '));
}
