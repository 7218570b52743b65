import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import type { Environment } from '../core/values/environment.ts';
import { tryOr } from '../core/values/result.ts';
import { listProcesses, reapProcesses } from '../runs/processes.ts';
import { assertScenario, type ScenarioResult, toExpectations } from './check-scenario.ts';
import { createFolders } from './create-folders.ts';
import { loadScenario, readScenario } from './load-scenario.ts';
import { readRunFacts } from './read-run-facts.ts';
import type { AgentCall, RunFacts, TurnFacts } from './run-facts.ts';
import { runSegments } from './run-segments.ts';
import type { Scenario } from './scenario.ts';
import { findUnusedTurns, readCalls, type ScenarioFleet, type ScenarioFolders } from './scenario-folders.ts';

/** How a scenario is run. */
export interface ScenarioOptions {
  /** The environment that the run inherits. Default: that of this process. */
  readonly env?: Environment;
  /** Keep the folders, to look into them. Default: no. */
  readonly keep?: boolean;
  /** Who takes the turns. Default: the run itself. */
  readonly fleet?: ScenarioFleet;
}

/**
 * Runs a scenario in a folder of its own, with the real loop and a real process for each turn.
 *
 * @param source a file, or a scenario as a value
 * @returns what came of it; whether that is as expected is for `assertScenario` to say
 * @throws RalphError `scenario-invalid`; the system error where the folders cannot be made
 */
export async function runScenario(source: string | Scenario, options: ScenarioOptions = {}): Promise<ScenarioResult> {
  const scenario = typeof source === 'string' ? loadScenario(source) : readScenario(source, 'the value');
  const folders = createFolders(scenario, options.env ?? readEnvironment(), options.fleet);
  try {
    return await collect(scenario, folders);
  } finally {
    await reapProcesses(folders.workspace);
    if (options.keep !== true) folders.clear();
  }
}

async function collect(scenario: Scenario, folders: ScenarioFolders): Promise<ScenarioResult> {
  const { runs: ended, faults } = await runSegments(scenario, folders);
  const calls = readCalls(folders);
  const runs = ended.map((run) => readRunFacts(run, folders, calls));
  return {
    scenario,
    runs,
    files: readExpectedFiles(scenario, folders),
    calls,
    faults: [...faults, ...findFaults(folders, calls, runs)],
    folder: folders.root,
  };
}

/** What must never be, whatever a scenario expects. */
function findFaults(folders: ScenarioFolders, calls: readonly AgentCall[], runs: readonly RunFacts[]): readonly string[] {
  const unscripted = calls.filter((call) => !call.isScripted);
  const left = isKilled(runs.at(-1)) ? [] : listProcesses(folders.workspace);
  return [
    ...unscripted.map((call) => `turn ${call.call} (${call.env['RALPH_HAT'] ?? '?'}) had no scripted turn left`),
    ...findUnusedTurns(folders).map((index) => `the scripted turn ${index + 1} was never played`),
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

function readExpectedFiles(scenario: Scenario, folders: ScenarioFolders): Readonly<Record<string, string | null>> {
  const names = toExpectations(scenario).flatMap((expected) => Object.keys(expected.files ?? {}));
  return Object.fromEntries(names.map((name) => [name, readText(join(folders.workspace, name))]));
}

/** Of a folder: the names of what is in it. */
function readText(path: string): string | null {
  return tryOr(() => (statSync(path).isDirectory() ? readdirSync(path).sort().join('\n') : readFileSync(path, 'utf8')), null);
}

/** What is needed of a test runner: Vitest, Jest, Mocha and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Where it is given, what was begun for tests that were then left out is waited for at the end. */
  readonly afterAll?: (body: () => Promise<void>) => unknown;
}

/** How a folder of scenarios is run. */
export interface SuiteOptions extends ScenarioOptions {
  /** How many scenarios run at a time. Default 2. */
  readonly parallel?: number;
  /** One file of so many, in their order, beginning with the first. Default 1: all. */
  readonly each?: number;
  /** How a scenario file is run. Default: `runScenario` with these options. */
  readonly run?: (file: string) => Promise<ScenarioResult>;
}

/** How many scenarios may begin before their test does, so that nobody waits for a long one. */
const AHEAD = 20;

/** Defines one test for each scenario file (`.yml`, `.yaml`) of a folder. While one is waited for, the next ones run already. */
export function defineScenarioSuite(folder: string, runner: TestRunner, options: SuiteOptions = {}): void {
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const files = names.sort().filter((_, index) => index % (options.each ?? 1) === 0);
  const { parallel = 2, run = (file: string) => runScenario(file, options) } = options;
  const ahead = createAheadRunner(parallel, (file) => run(join(folder, file)));
  runner.describe(basename(folder), () => {
    runner.afterAll?.(ahead.close);
    for (const [index, file] of files.entries()) {
      runner.test(file, async () => assertScenario(await ahead.run(file, files.slice(index + 1, index + 1 + AHEAD))));
    }
  });
}

/** Runs scenario files, some of them before they are asked for. */
export interface AheadRunner {
  /** Resolves when the file has run; meanwhile the next ones may begin. */
  readonly run: (file: string, next: readonly string[]) => Promise<ScenarioResult>;
  /** Begins no more, and resolves when what was begun is over. */
  readonly close: () => Promise<void>;
}

/** Each file runs once, however often it is asked for, and never more than `limit` files at a time. */
export function createAheadRunner(limit: number, runFile: (file: string) => Promise<ScenarioResult>): AheadRunner {
  const begun = new Map<string, Promise<ScenarioResult>>();
  const waiting: { readonly file: string; readonly begin: () => void }[] = [];
  let busy = 0;
  const fill = (): void => {
    while (busy < limit && waiting.length > 0) {
      busy += 1;
      waiting.shift()?.begin();
    }
  };
  const enqueue = (file: string): Promise<ScenarioResult> => {
    const turn = new Promise<void>((begin) => waiting.push({ file, begin }));
    const result = turn
      .then(() => runFile(file))
      .finally(() => {
        busy -= 1;
        fill();
      });
    // Its own test tells what went wrong; until then nobody listens.
    result.catch(() => undefined);
    begun.set(file, result);
    return result;
  };
  const run: AheadRunner['run'] = (file, next) => {
    // What was asked for beforehand and has not begun gives way to what is wanted now.
    const at = waiting.findIndex((entry) => entry.file === file);
    if (at > 0) waiting.unshift(...waiting.splice(at, 1));
    const result = begun.get(file) ?? enqueue(file);
    for (const other of next) if (!begun.has(other)) void enqueue(other);
    fill();
    return result;
  };
  const close = async (): Promise<void> => {
    const dropped = new Set(waiting.splice(0).map((entry) => entry.file));
    await Promise.allSettled([...begun].flatMap(([file, result]) => (dropped.has(file) ? [] : [result])));
  };
  return { run, close };
}
