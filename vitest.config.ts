import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import packageJson from './package.json' with { type: 'json' };

/** A copy for each project: Vitest takes out of it what it reads. */
const toDefine = () => ({
  RALPH_VERSION: JSON.stringify(packageJson.version),
  RALPH_BUNDLE_HASH: '""',
  RALPH_YAML_LIBRARY: '"yaml"',
  RALPH_SCHEMA_LIBRARY: '"@cfworker/json-schema"',
  RALPH_PROPERTY_SHARE: process.env['RALPH_PROPERTY_SHARE'] ?? '0.1',
});

/**
 * Where transformed modules are kept from run to run, each under a hash of its text. Vitest clears it when the packages change;
 * that a transform depends on the compiler's settings too is known here alone.
 */
const SETTINGS_OF_COMPILER = ['tsconfig.json', 'tsconfig.page.json'].map((name) => readFileSync(new URL(name, import.meta.url), 'utf8'));
const TRANSFORMED = `node_modules/.cache/vitest-${createHash('sha256').update(SETTINGS_OF_COMPILER.join('\n')).digest('hex').slice(0, 16)}`;

/**
 * Tests of real processes wait for a machine that others use too. On CI (`.ci/run` says RALPH_TEST_TRIES=2), where nobody can ask
 * again, a test that failed gets one more try; `scripts/flaky-reporter.mjs` names each that needed it.
 */
const RETRY = process.env['CI'] === undefined && process.env['RALPH_TEST_TRIES'] !== '2' ? 0 : 1;

/** Property tests take the same samples at every run, unless RALPH_PROPERTY_SEED says otherwise. */
const PROPERTIES = ['test/property-seed.ts'];

/** How long something is waited for that a test expects sooner or later; a loaded machine is slow. */
const POLL_MS = 20_000;

/** They start programs, or threads that work until they are ended. */
const WITH_PROCESSES = [
  ...['src/process/**/*.test.ts', 'src/hooks/**/*.test.ts'],
  ...['src/gates/create-gate-runner.test.ts', 'src/gates/gate-evidence.test.ts'],
  ...[
    'src/runs/list-runs.test.ts',
    'src/runs/processes.test.ts',
    'src/runs/start-detached.test.ts',
    'src/runs/stop-run.test.ts',
    'src/runs/unconfirmed-programs.test.ts',
  ],
  'src/agent/tools/grep-threads.test.ts',
  'src/fleet-runs/worker-home.test.ts',
];

/** They need real git in real repositories, or copy whole folders as it does: too slow for the check, so with the suites. */
const WITH_GIT = [
  'src/workspace/**/*.test.ts',
  'src/git/**/*.test.ts',
  'src/panel/share/**/*.test.ts',
  'src/fleet-runs/place-tree.test.ts',
  'src/fleet-runs/bring-turn.test.ts',
  'src/fleet-runs/fetch-run.test.ts',
  'src/fleet-runs/folder-manifest.test.ts',
  'src/fleet-runs/bring-rounds.test.ts',
  'src/worker/take-round.test.ts',
];

/** Suites of their own processes: real files, child processes, longer waits. */
function integration(name: string, include: readonly string[], testTimeoutMs: number) {
  return {
    define: toDefine(),
    test: {
      name,
      include: [...include],
      retry: RETRY,
      setupFiles: name === 'contract' || name === 'git' ? PROPERTIES : [],
      pool: 'forks' as const,
      isolate: true,
      testTimeout: testTimeoutMs,
      hookTimeout: testTimeoutMs,
      expect: { poll: { timeout: POLL_MS } },
    },
  };
}

export default defineConfig({
  test: {
    passWithNoTests: true,
    experimental: { fsModuleCache: true, fsModuleCachePath: TRANSFORMED },
    projects: [
      // The unit tests share their threads' module graphs: starting a fresh one per file would cost ten times the tests themselves.
      {
        define: toDefine(),
        test: {
          name: 'unit',
          // Generous: a loaded machine is slow, and no test here measures time.
          testTimeout: 60_000,
          include: ['src/**/*.test.ts', 'test/simulation/**/*.test.ts'],
          exclude: [...WITH_PROCESSES, ...WITH_GIT],
          pool: 'threads',
          isolate: false,
          retry: RETRY,
          setupFiles: PROPERTIES,
        },
      },
      // Worker threads hide part of what the process room does: real pipes need a process of their own.
      {
        define: toDefine(),
        test: {
          name: 'process',
          include: WITH_PROCESSES,
          pool: 'forks',
          isolate: false,
          testTimeout: 30_000,
          retry: RETRY,
          setupFiles: PROPERTIES,
        },
      },
      integration('git', WITH_GIT, 60_000),
      integration('contract', ['test/contract/**/*.test.ts'], 30_000),
      integration('replay', ['test/replay/**/*.test.ts'], 30_000),
      integration('scenario', ['test/scenarios/**/*.test.ts'], 60_000),
      integration('e2e', ['test/e2e/**/*.test.ts'], 180_000),
      // With a real browser and a real terminal multiplexer: `npm run e2e:faces` sees to it that they are there.
      // With real servers: `npm run e2e:fleet`.
      integration('fleet', ['test/fleet/**/*.test.ts'], 60_000),
      integration('faces', ['test/faces/**/*.test.ts'], 180_000),
    ],
  },
});
