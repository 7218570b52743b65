import { playRun } from './play-run.ts';
import type { RunsWithoutFaults } from './simulation-report.ts';
import type { Stage } from './stage.ts';
import { countRun, createTally } from './tally.ts';
import { toLoops } from './to-loops.ts';

const RUNS = 50;
/** Fewer runs where they are long, so that a flow without an end does not take for ever. */
const TURNS = 10_000;

/**
 * Whether the flow leads to an end by itself: a fault often sends a run on its way to whoever may end it, and so hides that nothing else does.
 * Plays until a run completes.
 */
export function playWithoutFaults(stage: Stage): RunsWithoutFaults {
  const sound: Stage = { ...stage, settings: { ...stage.settings, silent: 0, failure: 0, gateFailure: 0 } };
  const tally = createTally();
  for (let turns = 0; tally.runs < RUNS && turns < TURNS; ) {
    const played = playRun(sound, tally.runs + 1);
    countRun(tally, played);
    if (tally.completesWithoutFaults) return { canComplete: true, loops: [] };
    turns += played.turns.length;
  }
  return { canComplete: false, loops: toLoops(tally) };
}
