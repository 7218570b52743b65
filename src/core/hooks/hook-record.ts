import { startOf } from '../text/shorten.ts';
import type { HookRecord, HookRun, ToldHook } from './hook-moments.ts';

const MAX_RUNS = 200;
const MAX_COUNTS = 200;
const MAX_NAME = 200;
const MAX_TEXT = 500;

/** Whether people should hear of it: it denied, changed something, spoke to the model, failed, or ran on another machine. */
export function isNotable({ decision, error, hasChanged, preview, worker }: HookRun): boolean {
  return decision !== 'allow' || error !== null || hasChanged === true || preview !== '' || worker !== undefined;
}

/** The same with texts of at most 500 characters, as it is told and stored. */
export function toToldHook(run: HookRun, tool: string): ToldHook {
  const { name, reason, error, preview } = run;
  return {
    ...run,
    name: startOf(name, MAX_NAME),
    reason: startOf(reason, MAX_TEXT),
    error: error === null ? null : startOf(error, MAX_TEXT),
    preview: startOf(preview, MAX_TEXT),
    tool: startOf(tool, MAX_NAME),
  };
}

/** What a hook did, in one line for people: `guard.sh denied write_file: these files are mine`. */
export function describeHook({ name: own, tool, decision, error, hasChanged, reason, preview, worker }: ToldHook): string {
  const about = tool === '' ? 'the calls of an answer' : tool;
  const name = worker === undefined ? own : `${own} on worker ${worker}`;
  if (decision !== 'allow') return `${name} said ${decision} to ${about}: ${reason || error || 'no reason'}`;
  if (error !== null) return `${name} failed at ${about}: ${error}`;
  if (hasChanged === true) return `${name} changed ${about}`;
  return preview === '' ? `${name} allowed ${about}` : `${name} said after ${about}: ${preview}`;
}

export interface HookTally {
  readonly take: (hook: ToldHook) => void;
  /** `null` where none was asked. */
  readonly finish: () => HookRecord | null;
}

/** Nothing was asked yet. */
export function createHookTally(): HookTally {
  const counts = new Map<string, HookRecord['counts'][number]>();
  const runs: ToldHook[] = [];
  return {
    take: (hook) => {
      const { name, decision } = hook;
      const key = `${decision} ${name}`;
      const known = counts.get(key);
      if (known !== undefined || counts.size < MAX_COUNTS) counts.set(key, { name, decision, count: (known?.count ?? 0) + 1 });
      if (isNotable(hook) && runs.length < MAX_RUNS) runs.push(hook);
    },
    finish: () => (counts.size === 0 ? null : { counts: [...counts.values()], runs }),
  };
}

/** Both in one: those of the second behind those of the first. */
export function joinHookRecords(first: HookRecord | null, second: HookRecord | null): HookRecord | null {
  if (first === null || second === null) return first ?? second;
  const isSame = (left: HookRecord['counts'][number], right: HookRecord['counts'][number]): boolean =>
    left.name === right.name && left.decision === right.decision;
  const added = first.counts.map((own) => ({ ...own, count: own.count + (second.counts.find((other) => isSame(own, other))?.count ?? 0) }));
  const counts = [...added, ...second.counts.filter((other) => !first.counts.some((own) => isSame(own, other)))];
  return { counts: counts.slice(0, MAX_COUNTS), runs: [...first.runs, ...second.runs].slice(0, MAX_RUNS) };
}
