import type { Settings } from '../config/settings.ts';
import { addUsage, UNKNOWN_USAGE, type Usage } from '../core/backends/usage.ts';
import { toResultName } from '../core/gates/gate-result.ts';
import { isRequiredGate } from '../core/gates/gate-spec.ts';
import type { Effect } from '../core/run/effects.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { GatesFinished, Input } from '../core/run/inputs.ts';
import type { RunRecord } from '../core/run/run-record.ts';
import type { RunLimits } from '../core/run/run-spec.ts';
import { toDurationText, toUsdText } from '../core/text/duration.ts';
import type { FoldedRun } from '../loop/decide/decide.ts';
import type { RunProof } from '../views/fold/run-view.ts';
import { isNearLimit } from '../views/report/attention.ts';

export interface RunNews {
  /** What makes it the same news in this run: each is told once. */
  readonly id: string;
  readonly event: NonNullable<Settings['news']>['on'][number];
  /** Absent while it has not ended. */
  readonly end?: { readonly reason: EndReason; readonly exitCode: number; readonly proof: RunProof | null };
  readonly detail: string;
  /** What only a person can do; absent where nothing is asked of anybody. */
  readonly attention?: string | undefined;
  /** `null`: nobody knows. */
  readonly costUsd: number | null;
}

/** A gate that was red so often in a row is worth a word. */
const RED_RESULTS = 3;

interface NewsState {
  gates: Settings['spec']['gates'];
  limits: RunLimits | null;
  usage: Usage;
  /** Iterations that count, of processes before this one. */
  readonly before: number;
  readonly iterations: Set<number>;
  /** Running time until `since`. */
  elapsedMs: number;
  /** Since when the clock runs; `null` while it stands. */
  since: number | null;
  isParking: boolean;
  readonly red: Map<number, number>;
}

/**
 * Watches a run for what its person may want to be told while it goes on: an open question, a park, a gate that is red three times in a row, a limit that is near.
 * Each is told once; what was so before a resume is not told again.
 *
 * @param gates those that are configured
 */
export function createNewsWatch(
  folded: Pick<FoldedRun, 'state'> | null,
  gates: Settings['spec']['gates'],
  tell: (news: RunNews) => void,
): (record: RunRecord) => void {
  const state = folded?.state;
  const watch: NewsState = {
    gates,
    limits: state?.limits ?? null,
    usage: state?.usage ?? UNKNOWN_USAGE,
    before: state?.counters.counted ?? 0,
    iterations: new Set(),
    elapsedMs: state?.elapsedMs ?? 0,
    since: null,
    isParking: false,
    red: new Map(),
  };
  const told = new Set<string>();
  const say = (news: Omit<RunNews, 'costUsd'>): void => {
    if (told.has(news.id)) return;
    told.add(news.id);
    tell({ ...news, costUsd: watch.usage.costUsd });
  };
  if (state !== undefined) for (const { id } of listNear(watch, state.at)) told.add(id);
  return (record) => {
    if (record.kind === 'input') for (const news of takeInput(watch, record.seq, record.input)) say(news);
    if (record.kind === 'effect') for (const news of takeEffect(watch, record.seq, record.at, record.effect)) say(news);
  };
}

type FoundNews = readonly Omit<RunNews, 'costUsd'>[];

function takeInput(watch: NewsState, seq: number, input: Input): FoundNews {
  if (input.type === 'run-started' || input.type === 'run-resumed') {
    watch.since = input.at;
    if (input.spec !== undefined) ({ gates: watch.gates, limits: watch.limits } = input.spec);
    if (input.type === 'run-resumed' && watch.limits !== null) watch.limits = { ...watch.limits, ...input.limits };
  }
  if (input.type === 'gates-finished') return takeGates(watch, seq, input);
  if (input.type === 'iteration-ended') {
    watch.usage = addUsage(watch.usage, input.usage);
    if (input.outcome.status !== 'interrupted') watch.iterations.add(input.iteration);
  }
  return listNear(watch, input.at);
}

function takeGates({ gates, red }: NewsState, seq: number, { results }: GatesFinished): FoundNews {
  const found: Omit<RunNews, 'costUsd'>[] = [];
  for (const result of results) {
    const { gate, passed, skipped } = result;
    if (skipped === true || !isRequiredGate(gates[gate] ?? {})) continue;
    const count = passed ? 0 : (red.get(gate) ?? 0) + 1;
    red.set(gate, count);
    if (count === RED_RESULTS)
      found.push({ id: `gate_red:${gate}:${seq}`, event: 'gate_red', detail: `${toResultName(result)} failed ${count} times in a row.` });
  }
  return found;
}

function takeEffect(watch: NewsState, seq: number, at: number, effect: Effect): FoundNews {
  if (effect.type === 'question-open') {
    const { id, hat, text, choices } = effect.question;
    const attention = `answer with \`ralph answer ${id} ${choices.join('|')}\``;
    return [{ id: `needs_you:${id}`, event: 'needs_you', detail: `${hat} asks: ${text}`, attention }];
  }
  if (effect.type === 'timer-set') watch.isParking = effect.purpose === 'limit';
  if (effect.type === 'iteration-start') watch.since ??= at;
  if (effect.type !== 'notice' || !watch.isParking) return [];
  watch.isParking = false;
  // The clock of the running time stands while a run is parked.
  watch.elapsedMs += watch.since === null ? 0 : Math.max(0, at - watch.since);
  watch.since = null;
  return [{ id: `parked:${seq}`, event: 'parked', detail: effect.text }];
}

/** Limits of which four fifths are used. */
function listNear({ limits, usage, before, iterations, elapsedMs, since }: NewsState, at: number): FoundNews {
  if (limits === null) return [];
  const { maxIterations, maxCostUsd, maxRuntimeMs } = limits;
  const count = before + iterations.size;
  const costUsd = usage.costUsd ?? 0;
  const passedMs = elapsedMs + (since === null ? 0 : Math.max(0, at - since));
  const found: (readonly [name: string, used: number, limit: number, detail: string])[] = [
    ['iterations', count, maxIterations, `${count} of ${maxIterations} iterations are used.`],
    ['cost', costUsd, maxCostUsd ?? 0, `${toUsdText(costUsd)} of ${toUsdText(maxCostUsd)} are spent.`],
    ['runtime', passedMs, maxRuntimeMs, `${toDurationText(passedMs)} of ${toDurationText(maxRuntimeMs)} have passed.`],
  ];
  return found
    .filter(([, used, limit]) => isNearLimit(used, limit))
    .map(([name, , limit, detail]) => ({ id: `near_limit:${name}:${limit}`, event: 'near_limit' as const, detail }));
}
