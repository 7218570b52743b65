import { DEFAULT_HAT, RALPH } from '../core/events/reserved.ts';
import { HOOK_MOMENTS, type HookRun, isRunEvent, type LifeEventName } from '../core/hooks/hook-moments.ts';
import type { HookEvent, HookSpec } from '../core/hooks/hook-spec.ts';
import { createToolMatcher } from '../core/hooks/match-tool.ts';
import { askHook } from './ask-hook.ts';
import type { LifeMoment } from './life-moments.ts';
import { createResidentPrograms } from './resident-programs.ts';
import type { HandlerPlace } from './run-handler.ts';

export interface LifeScene extends Pick<HandlerPlace, 'cwd' | 'env' | 'marker' | 'signal' | 'askAway'> {
  readonly run: string;
}

export interface LifeRun extends Omit<HookRun, 'preview'> {
  /** Epoch milliseconds, of the moment. */
  readonly at: number;
  readonly hat: string;
  readonly turn: string;
}

/** Tells the hooks of a run's life, behind the run. */
export interface LifeHooks {
  /** Returns at once: they are told one after the other, in the order of the moments. */
  readonly tell: (moment: LifeMoment) => void;
  /** Settles when all of them were told, and nothing of them runs any more. Never rejects. */
  readonly close: () => Promise<void>;
}

/** A run that is faster than its hooks must not fill the memory: what comes on top of so many is not told. */
export const MAX_WAITING = 100;

/**
 * Makes the hooks of a run's life ready. What they answer decides nothing; an end by exit code 2 counts as a failure.
 *
 * @param specs of the run as a whole, and by hat
 * @param report is told of each hook that was told, in the order in which they were done
 * @param steady milliseconds from a clock that only goes forward
 */
export function createLifeHooks(
  specs: { readonly ofRun: readonly HookSpec[]; readonly ofHat: (hat: string) => readonly HookSpec[] },
  scene: LifeScene,
  report: (run: LifeRun) => void,
  steady: () => number,
): LifeHooks {
  const residents = createResidentPrograms();
  const place = { ...scene, residents };
  const asked = new Set<string>();
  const apart = new Set<Promise<void>>();
  let queue = Promise.resolve();
  let waiting = 0;
  const tellOne = async (spec: HookSpec, moment: LifeMoment): Promise<void> => {
    const { preview: _, ...run } = (await askHook(spec, toLifeEvent(moment, scene), place, steady)).run;
    const refused =
      run.decision === 'allow' ? null : `it said ${run.decision}, and this is only told${run.reason === '' ? '' : `: ${run.reason}`}`;
    report({ ...run, error: run.error ?? refused, at: moment.at, hat: moment.hat, turn: moment.turn });
  };
  return {
    tell: (moment) => {
      for (const spec of isRunEvent(moment.event) ? specs.ofRun : specs.ofHat(moment.hat)) {
        if (spec.event !== moment.event || !matches(spec, moment)) continue;
        const key = `${spec.place} ${spec.name} ${moment.turn}`;
        if (spec.isOnce === true && asked.has(key)) continue;
        if (spec.isOnce === true) asked.add(key);
        if (waiting >= MAX_WAITING) {
          report({ ...toUntold(spec), at: moment.at, hat: moment.hat, turn: moment.turn });
          continue;
        }
        waiting += 1;
        const told = (spec.isAsync === true ? tellOne(spec, moment) : queue.then(() => tellOne(spec, moment))).finally(() => {
          waiting -= 1;
        });
        if (spec.isAsync !== true) queue = told;
        else {
          apart.add(told);
          void told.finally(() => apart.delete(told));
        }
      }
    },
    close: async () => {
      await Promise.all([queue, ...apart]);
      await residents.close();
    },
  };
}

function toUntold({ name, event }: HookSpec): Omit<HookRun, 'preview'> {
  return { name, event, decision: 'allow', reason: '', error: `it was not told: ${MAX_WAITING} others wait`, ms: 0 };
}

function matches({ matcher }: HookSpec, moment: LifeMoment): boolean {
  const on = HOOK_MOMENTS[moment.event].matchedOn;
  return on === 'nothing' || (createToolMatcher(matcher)?.(on === 'hat' ? moment.hat : (moment.reason ?? '')) ?? true);
}

/** What a hook is told of a moment: the fields of tools are empty. */
function toLifeEvent({ event, at, hat, turn, ...more }: LifeMoment, { run, cwd }: LifeScene): HookEvent {
  const hook: LifeEventName = event;
  return {
    ...{ schema_version: 1, hook_type: hook, hook_event_name: hook, session_id: turn, orchestrator_id: run },
    ...{ agent_id: hat === '' || hat === RALPH || hat === DEFAULT_HAT ? null : hat, timestamp: new Date(at).toISOString() },
    ...{ tool_name: '', tool_use_id: '', tool_input: {}, tool_output: null, tool_is_error: null, cwd, hat, ...more },
  };
}
