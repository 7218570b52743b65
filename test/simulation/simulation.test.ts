import { expect, test } from 'vitest';
import { assertInvariants } from './invariants.ts';
import { assertPanelInvariants, PANEL_FACTS } from './panel-invariants.ts';
import { assertSeveralTurns } from './several-turns.ts';
import { simulateRun } from './simulate-run.ts';

/** 20 runs in the check, 2,000 in `npm test`, as many as wanted by `RALPH_SIM_RUNS=100000 npx vitest run --project unit test/simulation`. */
const RUNS = Number(process.env['RALPH_SIM_RUNS'] ?? 100);
const FIRST = Number(process.env['RALPH_SIM_SEED'] ?? 1);

test(`whatever seeded agents do in ${RUNS} runs, with kills and resumes, the run's invariants hold`, { timeout: 3_600_000 }, async () => {
  const reasons = new Map<string, number>();
  const panels = new Set<string>();
  let deaths = 0;
  let severalBehind = 0;
  let crowded = 0;
  let conflicts = 0;
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const run = await simulateRun(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed} (RALPH_SIM_SEED=${seed} RALPH_SIM_RUNS=1): ${error instanceof Error ? error.message : String(error)}`);
    });
    try {
      assertInvariants(run);
      severalBehind += assertSeveralTurns(run.world) > 0 ? 1 : 0;
      assertPanelInvariants(run).forEach((fact) => panels.add(fact));
    } catch (error) {
      throw new Error(`seed ${seed} (RALPH_SIM_SEED=${seed} RALPH_SIM_RUNS=1): ${error instanceof Error ? error.message : String(error)}`);
    }
    deaths += run.deaths;
    crowded += run.world.agents.most > 1 ? 1 : 0;
    conflicts += run.world.journalLines.some((line) => line.includes('"conflict":{')) ? 1 : 0;
    reasons.set(run.outcome.reason, (reasons.get(run.outcome.reason) ?? 0) + 1);
  }
  // The simulation must really reach the different ends, or it would prove nothing.
  if (RUNS >= 500) {
    expect([...panels].sort()).toEqual(PANEL_FACTS);
    expect(deaths).toBeGreaterThan(RUNS / 20);
    expect([crowded > RUNS / 20, conflicts > RUNS / 40, severalBehind > RUNS / 20]).toEqual([true, true, true]);
    expect([...reasons.keys()].sort()).toEqual(
      expect.arrayContaining(['completed', 'consecutive_failures', 'max_cost', 'max_iterations', 'max_runtime', 'parked']),
    );
  }
});
