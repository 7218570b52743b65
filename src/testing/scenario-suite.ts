import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assertScenario } from './assert-scenario.ts';
import { runScenario, type ScenarioOptions } from './run-scenario.ts';
import type { ScenarioResult } from './scenario-result.ts';

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
}

/** How many scenarios may be played before their test comes: so long ones keep nobody waiting. */
const AHEAD = 20;

/** Defines one test for each scenario file (`.yml`, `.yaml`) of a folder. While one is waited for, the next ones run already. */
export function defineScenarioSuite(folder: string, runner: TestRunner, options: SuiteOptions = {}): void {
  const names = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const files = names.sort();
  const player = createPlayer(options.parallel ?? 2, (file) => runScenario(join(folder, file), options));
  runner.describe(basename(folder), () => {
    runner.afterAll?.(player.close);
    for (const [index, file] of files.entries()) {
      runner.test(file, async () => assertScenario(await player.play(file, files.slice(index + 1, index + 1 + AHEAD))));
    }
  });
}

/** Plays files in lanes. */
export interface Player {
  /** Resolves when the file is played; while it is, the next ones may be begun. */
  readonly play: (file: string, next: readonly string[]) => Promise<ScenarioResult>;
  /** Begins no more, and resolves when what was begun is over. */
  readonly close: () => Promise<void>;
}

/** Each file is played once, however often it is asked for; never more than so many at a time. */
export function createPlayer(lanes: number, run: (file: string) => Promise<ScenarioResult>): Player {
  const played = new Map<string, Promise<ScenarioResult>>();
  const waiting: { readonly file: string; readonly begin: () => void }[] = [];
  let busy = 0;
  const fill = (): void => {
    while (busy < lanes && waiting.length > 0) {
      busy += 1;
      waiting.shift()?.begin();
    }
  };
  const enqueue = (file: string): Promise<ScenarioResult> => {
    const turn = new Promise<void>((begin) => waiting.push({ file, begin }));
    const result = turn
      .then(() => run(file))
      .finally(() => {
        busy -= 1;
        fill();
      });
    // Its own test tells what went wrong; until then nobody listens.
    result.catch(() => undefined);
    played.set(file, result);
    return result;
  };
  const play: Player['play'] = (file, next) => {
    // What was asked for beforehand and has not begun gives way to what is wanted now.
    const at = waiting.findIndex((entry) => entry.file === file);
    if (at > 0) waiting.unshift(...waiting.splice(at, 1));
    const result = played.get(file) ?? enqueue(file);
    for (const other of next) if (!played.has(other)) void enqueue(other);
    fill();
    return result;
  };
  const close = async (): Promise<void> => {
    const dropped = new Set(waiting.splice(0).map((entry) => entry.file));
    await Promise.allSettled([...played].flatMap(([file, result]) => (dropped.has(file) ? [] : [result])));
  };
  return { play, close };
}
