import { readCalledTool } from '../core/hooks/called-tool.ts';
import type { HookEventName, HookRun } from '../core/hooks/hook-moments.ts';
import type { HookEvent, HookedResult, HookInject, HookSpec, MergedHooks } from '../core/hooks/hook-spec.ts';
import { type CallMatcher, createCallMatcher } from '../core/hooks/match-call.ts';
import { createForeignMatcher, createToolMatcher, type ToolMatcher } from '../core/hooks/match-tool.ts';
import { startOf } from '../core/text/shorten.ts';
import { askHook, createLateHooks, type LateAnswer, type LateHooks } from './ask-hook.ts';
import { locateCall } from './locate-call.ts';
import { createResidentPrograms } from './resident-programs.ts';
import type { HandlerPlace } from './run-handler.ts';
import { type HookedCall, NO_HOOKS, NOT_SAID, NOTHING, type RequestedCall, type TurnHooks } from './tool-hooks.ts';

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
const MAX_REASONS = 10_000;

interface ReadyHook {
  readonly spec: HookSpec;
  readonly matches: ToolMatcher;
  /** `null`: it is about every call of these tools. */
  readonly rule: CallMatcher | null;
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
): TurnHooks {
  if (specs.length === 0) return NO_HOOKS;
  // A matcher that cannot be read is refused with the configuration; should one get here, it takes every tool.
  const ready = specs.map((spec) => ({
    spec,
    matches: toMatcher(spec) ?? (() => true),
    rule: spec.rule === undefined ? null : createCallMatcher(spec.rule),
  }));
  const select = (event: HookEventName, tool: string): readonly ReadyHook[] =>
    ready.filter(({ spec, matches }) => spec.event === event && matches(tool));
  const residents = createResidentPrograms();
  const place = { ...scene, residents };
  const late = createLateHooks(place, clocks.steady);
  const moment: HookTurn = { scene: place, late, asked: new Set(), ...clocks };
  return {
    before: async (call) => askInOrder(select('PreToolUse', call.tool), 'PreToolUse', call, moment, null),
    after: async (call, output, isError) => {
      const event = isError ? 'PostToolUseFailure' : 'PostToolUse';
      const merged = await askInOrder(select(event, call.tool), event, call, moment, { output, isError });
      return withLate(merged, late.take());
    },
    afterAll: async (calls) => {
      const hooks = ready.filter(({ spec }) => spec.event === 'PostToolBatch');
      return withLate(await askInOrder(hooks, 'PostToolBatch', NO_CALL, moment, null, calls), late.take());
    },
    awaitLate: async () => {
      await late.settle();
      return withLate(NOTHING, late.take());
    },
    close: async () => {
      await Promise.all([late.close(), residents.close()]);
    },
    request: async (call) => askInOrder(select('PermissionRequest', call.tool), 'PermissionRequest', call, moment, null),
  };
}

const NO_CALL: HookedCall = { id: '', tool: '', input: {} };

function toMatcher({ matcher, dialect }: HookSpec): ToolMatcher | null {
  return dialect === undefined ? createToolMatcher(matcher) : createForeignMatcher(matcher, dialect);
}

interface HookTurn {
  readonly scene: HookScene & HandlerPlace;
  readonly late: LateHooks;
  /** Hooks that were asked in this turn. */
  readonly asked: Set<HookSpec>;
  readonly now: () => number;
  readonly steady: () => number;
}

function withLate(merged: MergedHooks, answers: readonly LateAnswer[]): MergedHooks {
  if (answers.length === 0) return merged;
  return {
    ...merged,
    injects: [...merged.injects, ...answers.flatMap(({ injects }) => injects)],
    runs: [...merged.runs, ...answers.map(({ run }) => run)],
  };
}

/**
 * One after the other: each is told what those before it made of the input or the output. Before a call, and behind all calls of an answer, the first
 * denial ends the asking; behind one call all are asked, and a denial is told to the model with the result.
 */
async function askInOrder(
  hooks: readonly ReadyHook[],
  event: HookEventName,
  call: HookedCall | RequestedCall,
  { scene, late, asked, now, steady }: HookTurn,
  result: { readonly output: string; readonly isError: boolean } | null,
  calls?: readonly HookedResult[],
): Promise<MergedHooks> {
  const isRequest = event === 'PermissionRequest';
  if (hooks.length === 0) return isRequest ? NOT_SAID : NOTHING;
  let { input } = call;
  let output = result?.output ?? null;
  const reasons: string[] = [];
  const injects: HookInject[] = [];
  const runs: HookRun[] = [];
  let decision: MergedHooks['decision'] = isRequest ? 'ask' : 'allow';
  for (const { spec, rule } of hooks) {
    // By what hooks before it made of the input: the call that would be made is what counts.
    if (rule !== null && !rule.touches(readCalledTool(locateCall({ tool: call.tool, input }, scene.cwd)))) continue;
    if (spec.isOnce === true && asked.has(spec)) continue;
    asked.add(spec);
    const about = toEvent(event, { ...call, input }, scene, now(), output, result?.isError ?? null);
    const told = calls === undefined ? about : { ...about, tool_calls: calls };
    if (spec.isAsync === true) {
      late.start(spec, told);
      continue;
    }
    const { verdict, run } = await askHook(spec, told, scene, steady);
    runs.push(run);
    injects.push(...verdict.injects);
    const said = `${spec.name}: ${run.reason || `it said ${verdict.decision}`}`;
    if (result === null) {
      if (calls === undefined)
        input = verdict.updatedInput ?? (verdict.mergedInput === undefined ? input : { ...input, ...verdict.mergedInput });
      if (verdict.decision === (isRequest ? 'ask' : 'allow')) continue;
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

function toEvent(
  event: HookEventName,
  call: HookedCall | RequestedCall,
  { run, turn, hat, agentId, cwd }: HookScene,
  now: number,
  output: string | null,
  isError: boolean | null,
): HookEvent {
  const { id, tool, input } = call;
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
    ...('reason' in call ? { permission_reason: call.reason } : {}),
  };
}
