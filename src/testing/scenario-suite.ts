import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assertScenario } from './assert-scenario.ts';
import { runScenario, type ScenarioOptions } from './run-scenario.ts';
import type { ScenarioResult } from './scenario-result.ts';

/** What is needed of a test runner: Vitest, Jest, Mocha and `node:test` have it. */
export interface TestRunner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}

export interface SuiteOptions extends ScenarioOptions {
  /** How many scenarios run at a time. Default 2. */
  readonly parallel?: number;
}

/** Defines one test for each scenario file (`.yml`, `.yaml`) of a folder. While one is waited for, the next ones run already. */
export function defineScenarioSuite(folder: string, runner: TestRunner, options: SuiteOptions = {}): void {
  const files = readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .sort();
  const started = new Map<string, Promise<ScenarioResult>>();
  const start = (file: string): Promise<ScenarioResult> => {
    const known = started.get(file);
    if (known !== undefined) return known;
    const result = runScenario(join(folder, file), options);
    // Its own test tells what went wrong; until then nobody listens.
    result.catch(() => undefined);
    started.set(file, result);
    return result;
  };
  runner.describe(basename(folder), () => {
    for (const [index, file] of files.entries()) {
      runner.test(file, async () => {
        for (const next of files.slice(index, index + (options.parallel ?? 2))) void start(next);
        assertScenario(await start(file));
        started.delete(file);
      });
    }
  });
}
