import { DEFAULT_HAT, RALPH } from '../core/events/reserved.ts';
import type { HookEventName, HookRun } from '../core/hooks/hook-moments.ts';
import type { HookEvent, HookSpec, PublishedDraft } from '../core/hooks/hook-spec.ts';
import { createToolMatcher } from '../core/hooks/match-tool.ts';
import type { HookAnswer, HookExecution } from '../core/run/inputs.ts';
import { shorten, startOf } from '../core/text/shorten.ts';
import type { Json } from '../core/values/json.ts';
import { askHook, createLateHooks } from './ask-hook.ts';
import { createResidentPrograms } from './resident-programs.ts';
import type { HandlerPlace } from './run-handler.ts';

/** Events of a hat that are to be routed, or its completion. */
export interface LoopMoment {
  readonly event: Extract<HookEventName, 'EventPublish' | 'CompletionRequested'>;
  readonly hat: string;
  readonly iteration: number;
  readonly drafts: readonly PublishedDraft[];
}

export interface LoopScene extends Pick<HandlerPlace, 'cwd' | 'env' | 'marker' | 'askAway'> {
  readonly run: string;
}

export interface LoopHookAsker {
  /** One answer for each event, in order. Never rejects. */
  readonly ask: (moment: LoopMoment, signal: AbortSignal) => Promise<readonly HookAnswer[]>;
  /** Ends the programs that stay. */
  readonly close: () => Promise<void>;
}

const MAX_REASON = 2000;
/** Of one text for the author; the rest is cut. Source: the limit of Claude Code. */
const MAX_TOLD = 10_000;

/**
 * Makes the hooks of a run's events ready. They are asked one after the other, event by event: each is told what those before it made of the event, and the first
 * denial ends the asking.
 *
 * @param specsOf the hooks of a hat, in their order
 * @param now epoch milliseconds
 * @param steady milliseconds from a clock that only goes forward
 */
export function createLoopHookAsker(
  specsOf: (hat: string) => readonly HookSpec[],
  scene: LoopScene,
  clocks: { readonly now: () => number; readonly steady: () => number },
): LoopHookAsker {
  const residents = createResidentPrograms();
  // Hooks that nobody waits for: what they say of an event does not count.
  const late = createLateHooks({ ...scene, signal: new AbortController().signal, residents }, clocks.steady);
  const askedIn = new Map<HookSpec, number>();
  const isAskedIn = (spec: HookSpec, iteration: number): boolean => {
    const isAgain = askedIn.get(spec) === iteration;
    askedIn.set(spec, iteration);
    return isAgain;
  };
  const askAbout = async (moment: LoopMoment, draft: PublishedDraft, signal: AbortSignal): Promise<HookAnswer> => {
    const { event, hat } = moment;
    let current = draft;
    const runs: HookExecution[] = [];
    const told: string[] = [];
    for (const spec of specsOf(hat).filter((known) => known.event === event)) {
      if (!matches(spec, event === 'EventPublish' ? current.topic : hat)) continue;
      if (spec.isOnce === true && isAskedIn(spec, moment.iteration)) continue;
      const question = toLoopEvent({ ...moment, run: scene.run, cwd: scene.cwd, at: clocks.now(), draft: current });
      if (spec.isAsync === true) {
        late.start(spec, question);
        continue;
      }
      const asked = await askHook(spec, question, { ...scene, signal, residents }, clocks.steady);
      const run = toExecution(asked.run);
      const { name, decision, reason } = run;
      runs.push(run);
      told.push(...asked.verdict.injects.map(({ content }) => startOf(content, MAX_TOLD)));
      if (decision !== 'allow') return { isDropped: true, reason: toReason(name, decision, reason), told, runs };
      current = { ...current, ...asked.verdict.updatedEvent };
    }
    runs.push(...late.take().flatMap(({ run }) => (run.error === null ? [] : [toExecution(run)])));
    const changed = findChange(draft, current);
    return { isDropped: false, reason: '', told, runs, ...(changed === null ? {} : { changed }) };
  };
  return {
    ask: async (moment, signal) => {
      const answers: HookAnswer[] = [];
      for (const draft of moment.drafts) answers.push(await askAbout(moment, draft, signal));
      return answers;
    },
    close: async () => {
      await Promise.all([late.close(), residents.close()]);
    },
  };
}

function toExecution({ event: _, preview, ...run }: HookRun): HookExecution {
  return preview === '' ? run : { ...run, preview };
}

/** A hook that is about the tools of a matcher's dialect is about no topic. */
function matches({ matcher }: HookSpec, subject: string): boolean {
  return createToolMatcher(matcher)?.(subject) ?? true;
}

/** Nobody is asked about an event: what a hook leaves to a person is held back. */
function toReason(name: string, decision: HookExecution['decision'], reason: string): string {
  const said = reason === '' ? `it said ${decision}` : reason;
  return shorten(
    `${name}: ${decision === 'ask' ? `a person would have to allow it, and nobody can be asked here. ${said}` : said}`,
    MAX_REASON,
  );
}

function findChange(before: PublishedDraft, after: PublishedDraft): NonNullable<HookAnswer['changed']> | null {
  const isSame = (left: Json | undefined, right: Json | undefined): boolean => JSON.stringify(left) === JSON.stringify(right);
  const { topic, payload, target } = after;
  const changed = {
    ...(topic === before.topic ? {} : { topic }),
    ...(isSame(payload, before.payload) ? {} : { payload }),
    ...(target === undefined || target === before.target ? {} : { target }),
  };
  return Object.keys(changed).length === 0 ? null : changed;
}

function toLoopEvent(told: {
  readonly event: HookEventName;
  readonly run: string;
  readonly cwd: string;
  readonly hat: string;
  readonly iteration: number;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly draft: PublishedDraft;
}): HookEvent {
  const { event, run, cwd, hat, iteration, at, draft } = told;
  return {
    ...{ schema_version: 1, hook_type: event, hook_event_name: event, session_id: String(iteration), orchestrator_id: run },
    ...{ agent_id: hat === RALPH || hat === DEFAULT_HAT ? null : hat, timestamp: new Date(at).toISOString() },
    ...{ tool_name: '', tool_use_id: '', tool_input: {}, tool_output: null, tool_is_error: null, cwd, hat, iteration },
    event: { topic: draft.topic, payload: draft.payload, target: draft.target ?? null },
  };
}
