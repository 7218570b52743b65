import { type EndReason, RALPH } from '../core/index.ts';
import { mayEnd } from '../topology/index.ts';
import type { IterationFigures, RunsWithoutFaults, SimulatedHat, SimulatedShare, SimulationReport } from './simulation-report.ts';
import type { Stage } from './stage.ts';
import type { Counter, Tally } from './tally.ts';
import { toHints } from './to-hints.ts';
import { toLoops } from './to-loops.ts';

/** Lists of which the tail says nothing more are cut to this length. */
const LONGEST_LIST = 20;

/**
 * What the runs so far show.
 *
 * @param withoutFaults what `playWithoutFaults` found
 */
export function createReport(stage: Stage, tally: Tally, withoutFaults: RunsWithoutFaults): SimulationReport {
  const { topology, settings, spec } = stage;
  const toShare = (runs: number): SimulatedShare => ({ runs, share: tally.runs === 0 ? 0 : runs / tally.runs });
  const toList = <Fact, Item>(counter: Counter<Fact>, toItem: (fact: Fact) => Item): readonly (Item & SimulatedShare)[] =>
    counter
      .list()
      .slice(0, LONGEST_LIST)
      .map(({ fact, runs }) => ({ ...toItem(fact), ...toShare(runs) }));
  const ends = toList(tally.ends, (reason: EndReason) => ({ reason }));
  const completed = ends.find((end) => end.reason === 'completed')?.runs ?? 0;
  const hats = toHats(stage, tally);
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
    neverUsed: tally.runs === 0 ? [] : hats.filter((hat) => hat.turns === 0).map((hat) => hat.hat),
    neverPublished: findUnpublished(stage, tally),
    untaken: toList(tally.untaken, (event) => event),
    refused: toList(tally.refused, (signal) => signal),
    dumb: toList(tally.dumb, (hat) => ({ hat })),
    stalls: toList(tally.stalls, (stall) => stall),
    loops: toLoops(tally),
    withoutFaults,
    failed: tally.failed,
  };
  return { ...facts, hints: toHints(facts, topology) };
}

function toHats({ topology }: Stage, tally: Tally): readonly SimulatedHat[] {
  const known = new Map(tally.turns.list().map(({ fact, ...counts }) => [fact, counts]));
  const ids = [...topology.hats.map((hat) => hat.id), ...(known.has(RALPH) ? [RALPH] : [])];
  return ids.map((hat) => {
    const { runs, total } = known.get(hat) ?? { runs: 0, total: 0 };
    const all = Math.max(1, tally.runs);
    return { hat, mayEnd: mayEnd(topology, hat), turns: total / all, share: runs / all };
  });
}

function findUnpublished({ topology, choicesOf }: Stage, tally: Tally): SimulationReport['neverPublished'] {
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
