import type { HookRun } from '../core/hooks/hook-run.ts';
import type { HookEvent, HookEventName, HookedResult, HookSpec } from '../core/hooks/hook-spec.ts';
import { type HookInject, type HookVerdict, judgeHook, type MergedHooks } from '../core/hooks/hook-verdict.ts';
import { createToolMatcher, type ToolMatcher } from '../core/hooks/match-tool.ts';
import { startOf } from '../core/text/shorten.ts';
import type { JsonObject } from '../core/values/json.ts';
import { createResidentPrograms } from './resident-programs.ts';
import { type HandlerPlace, runHandler } from './run-handler.ts';

/** Who works: what every event says. */
export interface HookScene extends Omit<HandlerPlace, 'residents'> {
  /** The id of the run. */
  readonly run: string;
  /** `7.1` */
  readonly turn: string;
  readonly hat: string;
  /** The hat; `null` for Ralph. */
  readonly agentId: string | null;
}

/** A call of a tool that hooks are asked about. */
export interface HookedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonObject;
}

/** The hooks of one hat. */
export interface ToolHooks {
  /** Asks them about a call that is about to be made. Never rejects. */
  readonly before: (call: HookedCall) => Promise<MergedHooks>;
  /** Asks them about a call that was made. Never rejects. */
  readonly after: (call: HookedCall, output: string, isError: boolean) => Promise<MergedHooks>;
  /** Asks them once about all calls of one answer, which were made. A denial ends the turn. Never rejects. */
  readonly afterAll: (calls: readonly HookedResult[]) => Promise<MergedHooks>;
  /** Ends the programs that stay. */
  readonly close: () => Promise<void>;
}

/** No hooks: nothing is asked, nothing changes. */
export const NO_HOOKS: ToolHooks = {
  before: async () => NOTHING,
  after: async () => NOTHING,
  afterAll: async () => NOTHING,
  close: async () => {},
};

const NOTHING: MergedHooks = { decision: 'allow', reason: '', injects: [], runs: [] };
const MAX_REASONS = 10_000;
const MAX_REASON = 2000;
const MAX_PREVIEW = 200;

interface ReadyHook {
  readonly spec: HookSpec;
  readonly matches: ToolMatcher;
}

/**
 * Makes the hooks of a hat ready, in the order in which they are given. Nothing is loaded before it is asked.
 *
 * @param now epoch milliseconds
 * @param steady milliseconds from a clock that only goes forward
 */
export function createToolHooks(
  specs: readonly HookSpec[],
  scene: HookScene,
  clocks: { now: () => number; steady: () => number },
): ToolHooks {
  if (specs.length === 0) return NO_HOOKS;
  // A matcher that cannot be read is refused with the configuration; should one get here, it takes every tool.
  const ready = specs.map((spec) => ({ spec, matches: createToolMatcher(spec.matcher) ?? (() => true) }));
  const select = (event: HookEventName, tool: string): readonly ReadyHook[] =>
    ready.filter(({ spec, matches }) => spec.event === event && matches(tool));
  const residents = createResidentPrograms();
  const moment = { scene: { ...scene, residents }, ...clocks };
  return {
    before: async (call) => askInOrder(select('PreToolUse', call.tool), 'PreToolUse', call, moment, null),
    after: async (call, output, isError) => {
      const event = isError ? 'PostToolUseFailure' : 'PostToolUse';
      return askInOrder(select(event, call.tool), event, call, moment, { output, isError });
    },
    afterAll: async (calls) => {
      const hooks = ready.filter(({ spec }) => spec.event === 'PostToolBatch');
      return askInOrder(hooks, 'PostToolBatch', NO_CALL, moment, null, calls);
    },
    close: residents.close,
  };
}

const NO_CALL: HookedCall = { id: '', tool: '', input: {} };

interface Moment {
  readonly scene: HookScene & HandlerPlace;
  readonly now: () => number;
  readonly steady: () => number;
}

/**
 * One after the other: each is told what those before it made of the input or the output. Before a call, and behind all calls of an answer, the first
 * denial ends the asking; behind one call all are asked, and a denial is told to the model with the result.
 */
async function askInOrder(
  hooks: readonly ReadyHook[],
  event: HookEventName,
  call: HookedCall,
  { scene, now, steady }: Moment,
  result: { readonly output: string; readonly isError: boolean } | null,
  calls?: readonly HookedResult[],
): Promise<MergedHooks> {
  if (hooks.length === 0) return NOTHING;
  let { input } = call;
  let output = result?.output ?? null;
  const reasons: string[] = [];
  const injects: HookInject[] = [];
  const runs: HookRun[] = [];
  let decision: MergedHooks['decision'] = 'allow';
  for (const { spec } of hooks) {
    const startedAt = steady();
    const about = toEvent(event, { ...call, input }, scene, now(), output, result?.isError ?? null);
    const told = calls === undefined ? about : { ...about, tool_calls: calls };
    const { verdict, error } = judgeHook(spec, await runHandler(spec, told, scene));
    const reason = startOf(verdict.reason, MAX_REASON);
    const said = `${spec.name}: ${reason || `it said ${verdict.decision}`}`;
    runs.push({
      name: spec.name,
      event,
      decision: verdict.decision,
      reason,
      error,
      ms: steady() - startedAt,
      preview: startOf(verdict.injects[0]?.content ?? '', MAX_PREVIEW),
      ...(isChange(verdict, result !== null) ? { hasChanged: true as const } : {}),
    });
    injects.push(...verdict.injects);
    if (result === null) {
      if (calls === undefined)
        input = verdict.updatedInput ?? (verdict.mergedInput === undefined ? input : { ...input, ...verdict.mergedInput });
      if (verdict.decision === 'allow') continue;
      reasons.push(said);
      decision = verdict.decision;
      if (decision === 'deny') break;
    } else {
      output = verdict.updatedOutput ?? output;
      if (verdict.decision !== 'allow') injects.push({ content: said, strategy: 'tool_result' });
    }
  }
  return {
    decision,
    reason: startOf(reasons.join('\n'), MAX_REASONS),
    injects,
    runs,
    ...(input === call.input ? {} : { input }),
    ...(output === null || output === result?.output ? {} : { output }),
  };
}

/** Whether it changes what it may change at that moment: the output of a call that was made, else the input. */
function isChange({ updatedInput, mergedInput, updatedOutput }: HookVerdict, isBehind: boolean): boolean {
  return isBehind ? updatedOutput !== undefined : updatedInput !== undefined || mergedInput !== undefined;
}

function toEvent(
  event: HookEventName,
  { id, tool, input }: HookedCall,
  { run, turn, hat, agentId, cwd }: HookScene,
  now: number,
  output: string | null,
  isError: boolean | null,
): HookEvent {
  return {
    schema_version: 1,
    hook_type: event,
    hook_event_name: event,
    session_id: turn,
    orchestrator_id: run,
    agent_id: agentId,
    timestamp: new Date(now).toISOString(),
    tool_name: tool,
    tool_use_id: id,
    tool_input: input,
    tool_output: output,
    tool_is_error: isError,
    cwd,
    hat,
  };
}
