import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses, readEnvironment, reapProcesses } from '../app/index.ts';
import { toExpectations } from './check-scenario.ts';
import { loadScenario, readScenario } from './load-scenario.ts';
import { playScenario } from './play-scenario.ts';
import { findUnplayed, readCalls } from './read-records.ts';
import { readRunFacts } from './read-run-facts.ts';
import type { Scenario } from './scenario.ts';
import type { AgentCall, RunFacts, ScenarioResult, TurnFacts } from './scenario-result.ts';
import { createStage, type Stage } from './stage.ts';

/** How a scenario is run. */
export interface ScenarioOptions {
  /** The environment that the run inherits. Default: that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Keep the folders, to look into them. Default: no. */
  readonly keep?: boolean;
}

/**
 * Plays a scenario in a folder of its own, with the real loop and a real process for each turn.
 *
 * @param source a file, or a scenario as a value
 * @returns what came of it; whether that is as expected is for `assertScenario` to say
 * @throws RalphError `scenario-invalid`; the system error where the folders cannot be made
 */
export async function runScenario(source: string | Scenario, options: ScenarioOptions = {}): Promise<ScenarioResult> {
  const scenario = typeof source === 'string' ? loadScenario(source) : readScenario(source, 'the value');
  const stage = createStage(scenario, options.env ?? readEnvironment());
  try {
    return await play(scenario, stage);
  } finally {
    await reapProcesses(stage.workspace);
    if (options.keep !== true) stage.clear();
  }
}

async function play(scenario: Scenario, stage: Stage): Promise<ScenarioResult> {
  const played = await playScenario(scenario, stage);
  const calls = readCalls(stage);
  const runs = played.runs.map((run) => readRunFacts(run, stage, calls));
  const faults = [...played.faults, ...findFaults(stage, calls, runs)];
  return { scenario, runs, files: readExpectedFiles(scenario, stage), calls, faults, folder: stage.root };
}

/** What must never be, whatever a scenario expects. */
function findFaults(stage: Stage, calls: readonly AgentCall[], runs: readonly RunFacts[]): readonly string[] {
  const unscripted = calls.filter((call) => !call.isScripted);
  const left = isKilled(runs.at(-1)) ? [] : listProcesses(stage.workspace);
  return [
    ...unscripted.map((call) => `turn ${call.call} (${call.env['RALPH_HAT'] ?? '?'}) had no scripted turn left`),
    ...findUnplayed(stage).map((index) => `the scripted turn ${index + 1} was never played`),
    ...left.map((entry) => `process ${entry.pid} of turn ${entry.turn} is still there: ${entry.command}`),
    ...runs.flatMap((run) => run.turns.flatMap((turn) => findTurnFaults(run, turn))),
  ];
}

/** A turn that has ended was given its prompt whole; only one whose orchestrator was killed never ends. */
function findTurnFaults(run: RunFacts, turn: TurnFacts): readonly string[] {
  const name = `iteration ${turn.iteration} (${turn.hat})`;
  if (turn.status === 'running') return isKilled(run) ? [] : [`${name} never ended`];
  if (turn.status === 'interrupted' || turn.call === null || turn.promptBy !== null) return [];
  return [`the prompt of ${name} did not reach its agent whole: its arguments were ${JSON.stringify(turn.call.args)}`];
}

function isKilled(run: RunFacts | undefined): boolean {
  return run?.ends.at(-1)?.reason === 'killed';
}

function readExpectedFiles(scenario: Scenario, stage: Stage): Readonly<Record<string, string | null>> {
  const names = toExpectations(scenario).flatMap((expected) => Object.keys(expected.files ?? {}));
  return Object.fromEntries(names.map((name) => [name, readText(join(stage.workspace, name))]));
}

/** Of a folder: the names of what is in it. */
function readText(path: string): string | null {
  try {
    return statSync(path).isDirectory() ? readdirSync(path).sort().join('\n') : readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
