import type { BackendEvent } from '../../core/backends/backend-event.ts';
import { UNKNOWN_USAGE } from '../../core/backends/usage.ts';
import type { Json } from '../../core/values/json.ts';
import type { Model, ModelRequest, ModelStep, ToolCallPart } from '../../ports/model.ts';
import { type AgentTurn, createTurnState, type TranscriptLine, type TurnState } from '../session/agent-turn.ts';
import { createTurnWords } from '../session/turn-words.ts';
import type { CallOutcome, ToolResult } from '../tool/tool.ts';
import type { NativeAgent } from './run-native-turn.ts';

/** A turn whose model and tools are given, and what came of it. */
export interface SampleTurn {
  readonly parts: AgentTurn;
  readonly state: TurnState;
  readonly requests: ModelRequest[];
  readonly lines: TranscriptLine[];
  readonly events: BackendEvent[];
  readonly waits: number[];
  readonly kept: string[];
  readonly stopper: AbortController;
}

/** The native agent of the hat `a` with this model and these tools. */
export function makeNativeAgent(given: Pick<NativeAgent, 'limits' | 'createModel' | 'openTools'>): NativeAgent {
  return { label: 'native:test', hat: 'a', key: 'k', context: 'fresh', priceOf: () => null, ...given };
}

type Reply = ModelStep | ((request: ModelRequest, observe: Parameters<Model['step']>[1]) => ModelStep | Promise<ModelStep>);

/** Makes a turn that is asked to "Do it". Replies beyond the last are `Done.` */
export function makeTurn(replies: readonly Reply[], given: Partial<AgentTurn> & { readonly run?: RunTool } = {}): SampleTurn {
  const requests: ModelRequest[] = [];
  const lines: TranscriptLine[] = [];
  const events: BackendEvent[] = [];
  const waits: number[] = [];
  const kept: string[] = [];
  const stopper = new AbortController();
  const { run = async (name: string) => ({ text: `${name} ran`, isError: false }), ...parts } = given;
  const model: Model = {
    label: 'test/model',
    step: async (request, observe) => {
      requests.push({ ...request, messages: [...request.messages] });
      const reply = replies[requests.length - 1] ?? say('Done.');
      return typeof reply === 'function' ? reply(request, observe) : reply;
    },
  };
  return {
    requests,
    lines,
    events,
    waits,
    kept,
    stopper,
    state: createTurnState([{ role: 'user', text: 'Do it' }]),
    parts: {
      model,
      tools: {
        tools: ['look', 'change'].map((name) => ({ name, description: name, parameters: { type: 'object' } })),
        isReadOnly: (name) => name === 'look',
        mayRepeat: async (name) => name === 'look' || name === 'publish',
        reads: new Map(),
        call: async (name, args) => ({ kind: 'ran', ...(await run(name, args)) }),
        afterAll: async () => null,
        keep: async (_, text) => {
          kept.push(text);
          return `.ralph/outputs/${kept.length}.txt`;
        },
        noteForm: { kind: 'text', nonce: 'a1b2' },
        redact: (text) => text.replaceAll('hunter2', '[redacted]'),
        describeProject: async () => '# Where you work',
        close: async () => undefined,
      },
      transcript: { append: (line) => lines.push(line), flush: () => undefined, close: () => undefined },
      limits: {
        maxSteps: 10,
        maxCostUsd: null,
        maxOutputTokens: null,
        contextTokens: 100_000,
        retry: { maxAttempts: 3, baseMs: 100, maxMs: 300 },
      },
      system: 'You are it.',
      prompt: 'Do it',
      words: createTurnWords(),
      signal: stopper.signal,
      tell: (event) => events.push(event),
      priceOf: () => null,
      now: () => 0,
      wait: async (ms) => void waits.push(ms),
      ...parts,
    },
  };
}

type RunTool = (name: string, args: Json) => Promise<ToolResult & Pick<CallOutcome, 'messages'>>;

/** An answer with words alone. */
export function say(text: string, parts: Partial<Extract<ModelStep, { ok: true }>> = {}): ModelStep {
  const message = { role: 'assistant' as const, parts: text === '' ? [] : [{ type: 'text' as const, text }] };
  return { ok: true, message, finish: 'stop', usage: UNKNOWN_USAGE, responseId: null, model: null, ...parts };
}

/** An answer that calls these tools; their ids are their names with a number. */
export function callAll(...names: readonly string[]): ModelStep {
  const calls = names.map(
    (name, index): ToolCallPart => ({ type: 'tool-call', id: `${name}-${index + 1}`, name, args: { path: `file-${index + 1}` } }),
  );
  return { ...(say('') as Extract<ModelStep, { ok: true }>), message: { role: 'assistant', parts: calls }, finish: 'tool-calls' };
}

/** A tool whose results are all different: the text, with a number in front. */
export function numbered(text: string): (name: string) => Promise<ToolResult> {
  let count = 0;
  return async () => {
    count += 1;
    return { text: `${count} ${text}`, isError: false };
  };
}

/** A call that fails. */
export function failing(kind: Extract<ModelStep, { ok: false }>['failure']['class'], retryAfterMs?: number): ModelStep {
  return { ok: false, failure: { class: kind, message: `it is ${kind}`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) } };
}
