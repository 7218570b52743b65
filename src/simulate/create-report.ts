import { RALPH, SYSTEM } from '../core/events/reserved.ts';
import type { EndReason } from '../core/run/end-reasons.ts';
import type { Topology } from '../topology/routing/compile-topology.ts';
import { mayEnd } from '../topology/routing/queries.ts';
import type {
  Counter,
  IterationFigures,
  RunsWithoutFaults,
  SimulatedHat,
  SimulatedLoop,
  SimulatedPanelHat,
  SimulatedPanelOutcome,
  SimulatedShare,
  SimulationReport,
  SimulationSetup,
  Tally,
} from './simulation-types.ts';

/** Lists of which the tail says nothing more are cut to this length. */
const LONGEST_LIST = 20;

/**
 * What the runs so far show.
 *
 * @param withoutFaults what runs without faults showed
 */
export function createReport(setup: SimulationSetup, tally: Tally, withoutFaults: RunsWithoutFaults): SimulationReport {
  const { topology, settings, spec } = setup;
  const toShare = (runs: number): SimulatedShare => ({ runs, share: tally.runs === 0 ? 0 : runs / tally.runs });
  const toList = <Fact, Item>(counter: Counter<Fact>, toItem: (fact: Fact) => Item): readonly (Item & SimulatedShare)[] =>
    counter
      .list()
      .slice(0, LONGEST_LIST)
      .map(({ fact, runs }) => ({ ...toItem(fact), ...toShare(runs) }));
  const ends = toList(tally.ends, (reason: EndReason) => ({ reason }));
  const completed = ends.find((end) => end.reason === 'completed')?.runs ?? 0;
  const hats = toHats(setup, tally);
  const facts: Omit<SimulationReport, 'hints'> = {
    coordination: topology.coordination,
    settings,
    runs: tally.runs,
    canComplete: completed > 0 && withoutFaults.canComplete,
    completed: toShare(completed),
    iterations: toFigures(tally.iterations, completed),
    maxIterations: { configured: topology.spec.limits.maxIterations, played: spec.limits.maxIterations },
    ends,
    hats,
    panels: toPanels(setup, tally),
    neverUsed: tally.runs === 0 ? [] : hats.filter((hat) => hat.turns === 0).map((hat) => hat.hat),
    neverPublished: findUnpublished(setup, tally),
    untaken: toList(tally.untaken, (event) => event),
    refused: toList(tally.refused, (signal) => signal),
    dumb: toList(tally.dumb, (hat) => ({ hat })),
    stalls: toList(tally.stalls, (stall) => stall),
    loops: listLoops(tally),
    withoutFaults,
    failed: tally.failed,
  };
  return { ...facts, hints: toHints(facts, topology) };
}

function toHats({ topology }: SimulationSetup, tally: Tally): readonly SimulatedHat[] {
  const known = new Map(tally.turns.list().map(({ fact, ...counts }) => [fact, counts]));
  const ids = [...topology.hats.map((hat) => hat.id), ...(known.has(RALPH) ? [RALPH] : [])];
  return ids.map((hat) => {
    const { runs, total } = known.get(hat) ?? { runs: 0, total: 0 };
    const all = Math.max(1, tally.runs);
    return { hat, mayEnd: mayEnd(topology, hat), turns: total / all, share: runs / all };
  });
}

/** Of outcomes of a panel: as it should be first. */
const OUTCOMES: readonly SimulatedPanelOutcome[] = ['votes', 'ralph', 'tie', 'first', 'gates', 'only', 'failed', 'interrupted'];

function toPanels({ topology }: SimulationSetup, { panels }: Tally): readonly SimulatedPanelHat[] {
  return topology.hats.flatMap(({ id: hat, panel }) => {
    const known = panels.get(hat);
    if (panel === undefined || known === undefined) return [];
    const { turns, outcomes } = known;
    return [
      {
        ...{ hat, agents: panel.agents.filter(({ role }) => role === undefined).length, turns },
        ...{ rounds: known.rounds / turns, answers: known.answers / turns, votes: known.votes / turns, timeUp: known.timeUps / turns },
        outcomes: OUTCOMES.flatMap((outcome) => {
          const count = outcomes.get(outcome);
          return count === undefined ? [] : [{ outcome, turns: count, share: count / turns }];
        }),
      },
    ];
  });
}

function findUnpublished({ topology, choicesOf }: SimulationSetup, tally: Tally): SimulationReport['neverPublished'] {
  const used = new Set(tally.turns.list().map(({ fact }) => fact));
  const published = new Set(tally.published.list().map(({ fact }) => JSON.stringify(fact)));
  return topology.hats
    .filter((hat) => used.has(hat.id))
    .flatMap(({ id: hat }) =>
      choicesOf(hat).flatMap((choice) => (choice.kind === 'event' ? choice.topics.map((topic) => ({ hat, topic })) : [])),
    )
    .filter((fact) => !published.has(JSON.stringify(fact)))
    .slice(0, LONGEST_LIST);
}

function toFigures(counts: ReadonlyMap<number, number>, total: number): IterationFigures | null {
  const sorted = [...counts].sort(([a], [b]) => a - b);
  const last = sorted[sorted.length - 1];
  if (last === undefined) return null;
  const rank = (share: number): number => {
    let left = Math.ceil(total * share);
    for (const [iterations, runs] of sorted) {
      left -= runs;
      if (left <= 0) return iterations;
    }
    return last[0];
  };
  return { median: rank(0.5), p95: rank(0.95), max: last[0] };
}

/** Circles beyond these say nothing more. */
const KEPT_CIRCLES = 20;

/** The circles that were gone round most often. */
export function listLoops({ circles, runs: all }: Tally): readonly SimulatedLoop[] {
  return circles
    .list()
    .map(({ fact, runs, total }) => ({ steps: fact, rounds: total, runs, share: runs / all }))
    .toSorted((a, b) => b.rounds - a.rounds)
    .slice(0, KEPT_CIRCLES);
}

type SimulationFacts = Omit<SimulationReport, 'hints'>;

/** A list of hats or topics in a sentence goes no further. */
const MAX_NAMED = 5;
/** Ends that are rarer than this need no sentence. */
const RARE = 0.005;

/** What a person should look at, the most important first. */
function toHints(facts: SimulationFacts, topology: Topology): readonly string[] {
  if (facts.runs === 0) return [];
  return [
    ...toEndHints(facts),
    ...toAccidentHints(facts),
    ...toEndlessHints(facts),
    ...toStallHints(facts),
    ...toPanelHints(facts),
    ...toUnusedHints(facts, topology),
    ...toUntakenHints(facts),
    ...toDumbHints(facts),
    ...toRefusedHints(facts),
    ...toCutHints(facts),
  ];
}

/** Why nothing completes: who could end the run, and why they did not. */
function toEndHints({ completed, hats, refused, coordination }: SimulationFacts): readonly string[] {
  if (completed.runs > 0) return [];
  const enders = hats.filter((hat) => hat.mayEnd).map((hat) => hat.hat);
  if (enders.length === 0)
    return [
      `Nobody may end the run. Let a hat list the promise in its publishes${coordination === 'hats' ? ', or name a recovery_hat' : ''}.`,
    ];
  const used = hats.filter((hat) => hat.mayEnd && hat.turns > 0).map((hat) => hat.hat);
  if (used.length === 0) return [`Only ${joinNames(enders)} may end the run, and never had a turn.`];
  const claim = refused.find((signal) => signal.why === 'required-events');
  return claim === undefined
    ? []
    : [`${claim.hat} claimed the end and was refused: what required_events asks for was not published before.`];
}

/** A run that ends only because an agent forgot to write does not end when all goes well. */
function toAccidentHints({ completed, withoutFaults }: SimulationFacts): readonly string[] {
  if (completed.runs === 0 || withoutFaults.canComplete) return [];
  return [
    `Where every agent does as it should no run completes${toLoopText(withoutFaults.loops)}. Give somebody on this way an event that leads to the end.`,
  ];
}

function toEndlessHints(facts: SimulationFacts): readonly string[] {
  const { ends, loops, completed, withoutFaults } = facts;
  const isToldBefore = completed.runs > 0 && !withoutFaults.canComplete;
  const round = isToldBefore ? '' : toLoopText(loops);
  return ends.flatMap(({ reason, share }) => {
    const how = share < RARE ? null : toEndlessText(reason, facts);
    return how === null ? [] : [`${toPercent(share)} ${how}${round}.`];
  });
}

/** How runs went on without an end until something stopped them; `null` for other ends. */
function toEndlessText(reason: EndReason, { maxIterations, settings }: SimulationFacts): string | null {
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

function toStallHints({ ends, stalls }: SimulationFacts): readonly string[] {
  const bad = new Set(['stalled', 'consecutive_failures', 'gate_refused', 'parked']);
  return ends.flatMap(({ reason, share }) => {
    const last = stalls.find((stall) => stall.reason === reason);
    if (!bad.has(reason) || share < RARE || last === undefined) return [];
    const to = last.to.length === 0 ? 'nobody' : joinNames(last.to);
    return [`${toPercent(share)} end as ${reason}; most often after ${last.topic} (from ${last.source} to ${to}).`];
  });
}

/** From this share of its turns on a panel that comes to nothing is told, and from the other on one that does not come to its vote: a late agent is no news. */
const OFTEN = 0.05;
const MOSTLY = 1 / 3;

function toPanelHints({ panels }: SimulationFacts): readonly string[] {
  return panels.slice(0, MAX_NAMED).flatMap(({ hat, timeUp, outcomes }) => {
    const shareOf = (outcome: SimulatedPanelOutcome): number => outcomes.find((entry) => entry.outcome === outcome)?.share ?? 0;
    const [failed, first] = [shareOf('failed'), shareOf('first')];
    return [
      ...(failed < OFTEN ? [] : [`The panel of ${hat} fails in ${toPercent(failed)} of its turns: fewer agents answer than min_agents.`]),
      ...(first < MOSTLY
        ? []
        : [`In ${toPercent(first)} of its turns the panel of ${hat} takes the first answer: fewer agents vote than quorum.`]),
      ...(timeUp < MOSTLY
        ? []
        : [`The time of the panel of ${hat} is over before its agents are done in ${toPercent(timeUp)} of its turns.`]),
    ];
  });
}

function toUnusedHints({ neverUsed }: SimulationFacts, topology: Topology): readonly string[] {
  const rest = neverUsed.length - MAX_NAMED;
  return [
    ...neverUsed.slice(0, MAX_NAMED).map((hat) => toUnusedHint(hat, topology)),
    ...(rest > 0 ? [`${rest} more never had a turn.`] : []),
  ];
}

function toUnusedHint(hat: string, topology: Topology): string {
  const triggers = topology.hatById.get(hat)?.triggers ?? [];
  const takes = triggers.length === 0 ? 'it takes nothing' : `nobody publishes what it takes (${joinNames(triggers)}) in these runs`;
  return `${hat} never had a turn: ${takes}.`;
}

function toUntakenHints({ untaken, coordination }: SimulationFacts): readonly string[] {
  if (coordination !== 'hats') return [];
  return untaken
    .filter(({ source }) => source !== SYSTEM)
    .slice(0, MAX_NAMED)
    .map(({ topic, source, share }) => `${topic} of ${source} reached no hat in ${toPercent(share)} of the runs; Ralph had to step in.`);
}

function toDumbHints({ dumb, coordination }: SimulationFacts): readonly string[] {
  if (coordination !== 'hats') return [];
  return dumb
    .slice(0, MAX_NAMED)
    .map(({ hat }) => `${hat} has turns and nothing to say: it neither publishes anything nor may end the run.`);
}

function toRefusedHints({ refused }: SimulationFacts): readonly string[] {
  return refused
    .filter(({ why }) => why === 'scope')
    .slice(0, MAX_NAMED)
    .map(({ hat, topic }) => `The script lets ${hat} publish ${topic}, which it may not; it was refused.`);
}

function toCutHints({ maxIterations }: SimulationFacts): readonly string[] {
  const { configured, played } = maxIterations;
  return played < configured ? [`max_iterations is ${configured}; runs were played up to ${played} iterations.`] : [];
}

function joinNames(items: readonly string[]): string {
  const rest = items.length - MAX_NAMED;
  return `${items.slice(0, MAX_NAMED).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** `42 %`, `99.7 %`, `< 0.1 %`. */
export function toPercent(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent < 100 && percent > 99.9) return '> 99.9 %';
  return `${Number(percent.toFixed(percent < 10 || percent > 90 ? 1 : 0))} %`;
}
