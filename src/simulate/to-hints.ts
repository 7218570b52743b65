import { type EndReason, SYSTEM } from '../core/index.ts';
import type { Topology } from '../topology/index.ts';
import type { SimulatedLoop, SimulationReport } from './simulation-report.ts';
import { toPercent } from './to-percent.ts';

type Facts = Omit<SimulationReport, 'hints'>;

/** A list of hats or topics in a sentence goes no further. */
const LONGEST_LIST = 5;
/** Ends that are rarer than this need no sentence. */
const RARE = 0.005;

/** What a person should look at, the most important first. */
export function toHints(facts: Facts, topology: Topology): readonly string[] {
  if (facts.runs === 0) return [];
  return [
    ...toEndHints(facts),
    ...toAccidentHints(facts),
    ...toEndlessHints(facts),
    ...toStallHints(facts),
    ...toUnusedHints(facts, topology),
    ...toUntakenHints(facts),
    ...toDumbHints(facts),
    ...toRefusedHints(facts),
    ...toCutHints(facts),
  ];
}

/** Why nothing completes: who could end the run, and why they did not. */
function toEndHints({ completed, hats, refused, coordination }: Facts): readonly string[] {
  if (completed.runs > 0) return [];
  const enders = hats.filter((hat) => hat.mayEnd).map((hat) => hat.hat);
  if (enders.length === 0)
    return [
      `Nobody may end the run. Let a hat list the promise in its publishes${coordination === 'hats' ? ', or name a recovery_hat' : ''}.`,
    ];
  const used = hats.filter((hat) => hat.mayEnd && hat.turns > 0).map((hat) => hat.hat);
  if (used.length === 0) return [`Only ${toList(enders)} may end the run, and never had a turn.`];
  const claim = refused.find((signal) => signal.why === 'required-events');
  return claim === undefined
    ? []
    : [`${claim.hat} claimed the end and was refused: what required_events asks for was not published before.`];
}

/** A run that ends only because an agent forgot to write does not end when all goes well. */
function toAccidentHints({ completed, withoutFaults }: Facts): readonly string[] {
  if (completed.runs === 0 || withoutFaults.canComplete) return [];
  return [
    `Where every agent does as it should no run completes${toLoopText(withoutFaults.loops)}. Give somebody on this way an event that leads to the end.`,
  ];
}

function toEndlessHints(facts: Facts): readonly string[] {
  const { ends, loops, completed, withoutFaults } = facts;
  const isToldBefore = completed.runs > 0 && !withoutFaults.canComplete;
  const round = isToldBefore ? '' : toLoopText(loops);
  return ends.flatMap(({ reason, share }) => {
    const how = share < RARE ? null : toEndlessText(reason, facts);
    return how === null ? [] : [`${toPercent(share)} ${how}${round}.`];
  });
}

/** How runs went on without an end until something stopped them; `null` for other ends. */
function toEndlessText(reason: EndReason, { maxIterations, settings }: Facts): string | null {
  switch (reason) {
    case 'max_iterations':
      return `end at max_iterations (${maxIterations.played})`;
    case 'loop_detected':
      return 'are stopped as a loop';
    case 'max_runtime':
      return `end at max_runtime_seconds, with turns of ${settings.turnMs / 1000} s`;
    case 'max_cost':
      return `end at max_cost_usd, with turns of $${settings.turnCostUsd}`;
    case 'completed':
    case 'stalled':
    case 'consecutive_failures':
    case 'gate_refused':
    case 'config_invalid':
    case 'workspace_gone':
    case 'storage_failed':
    case 'parked':
    case 'interrupted':
    case 'terminated':
    case 'hangup':
      return null;
  }
}

function toLoopText(loops: readonly SimulatedLoop[]): string {
  const [most] = loops;
  return most === undefined ? '' : `; most often they go round ${toWayText(most)}`;
}

/** `builder ─build.done→ critic ─review.rejected→ builder` */
function toWayText({ steps }: Pick<SimulatedLoop, 'steps'>): string {
  const [first] = steps;
  const shown = steps.slice(0, 12).map(({ hat, topic }) => `${hat} ─${topic}→ `);
  return `${shown.join('')}${steps.length > 12 ? '… ' : ''}${first?.hat ?? ''}`;
}

function toStallHints({ ends, stalls }: Facts): readonly string[] {
  const bad = new Set(['stalled', 'consecutive_failures', 'gate_refused', 'parked']);
  return ends.flatMap(({ reason, share }) => {
    const last = stalls.find((stall) => stall.reason === reason);
    if (!bad.has(reason) || share < RARE || last === undefined) return [];
    const to = last.to.length === 0 ? 'nobody' : toList(last.to);
    return [`${toPercent(share)} end as ${reason}; most often after ${last.topic} (from ${last.source} to ${to}).`];
  });
}

function toUnusedHints({ neverUsed }: Facts, topology: Topology): readonly string[] {
  const rest = neverUsed.length - LONGEST_LIST;
  return [
    ...neverUsed.slice(0, LONGEST_LIST).map((hat) => toUnusedHint(hat, topology)),
    ...(rest > 0 ? [`${rest} more never had a turn.`] : []),
  ];
}

function toUnusedHint(hat: string, topology: Topology): string {
  const triggers = topology.hatById.get(hat)?.triggers ?? [];
  const takes = triggers.length === 0 ? 'it takes nothing' : `nobody publishes what it takes (${toList(triggers)}) in these plays`;
  return `${hat} never had a turn: ${takes}.`;
}

function toUntakenHints({ untaken, coordination }: Facts): readonly string[] {
  if (coordination !== 'hats') return [];
  return untaken
    .filter(({ source }) => source !== SYSTEM)
    .slice(0, LONGEST_LIST)
    .map(({ topic, source, share }) => `${topic} of ${source} reached no hat in ${toPercent(share)} of the runs; Ralph had to step in.`);
}

function toDumbHints({ dumb, coordination }: Facts): readonly string[] {
  if (coordination !== 'hats') return [];
  return dumb
    .slice(0, LONGEST_LIST)
    .map(({ hat }) => `${hat} has turns and nothing to say: it neither publishes anything nor may end the run.`);
}

function toRefusedHints({ refused }: Facts): readonly string[] {
  return refused
    .filter(({ why }) => why === 'scope')
    .slice(0, LONGEST_LIST)
    .map(({ hat, topic }) => `The script lets ${hat} publish ${topic}, which it may not; it was refused.`);
}

function toCutHints({ maxIterations }: Facts): readonly string[] {
  const { configured, played } = maxIterations;
  return played < configured ? [`max_iterations is ${configured}; runs were played up to ${played} iterations.`] : [];
}

function toList(items: readonly string[]): string {
  const rest = items.length - LONGEST_LIST;
  return `${items.slice(0, LONGEST_LIST).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
