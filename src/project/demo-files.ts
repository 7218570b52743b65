import { cpSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { findPackageFolder } from '../config/layers/package-files.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { createGit } from '../git/git.ts';
import { runToEnd } from '../process/start-process.ts';

export interface DemoFolder {
  /** The sample repository: a temporary folder, or one within. */
  readonly folder: string;
  /** How Ralph is typed here: `ralph`, or `node /path/bin/ralph.js`. */
  readonly command: string;
  /** Runs the sample's tests, as the gate does. */
  readonly test: () => Promise<{ readonly passed: boolean; readonly output: string }>;
}

/** The samples: a team, a hat that several agents wear, and the team on a fleet. */
export type DemoName = 'team' | 'panel' | 'fleet';

interface Sample {
  /** Below `examples`. */
  readonly folder: string;
  /** What its gate runs, behind `node`. Tests that are named are those of the sample alone, without those in the folders of a panel's agents. */
  readonly test: readonly string[];
  readonly commit: string;
  /** The folder of the repository within the temporary one, where other things lie beside it. */
  readonly below?: string;
}

const TEAM: Sample = { folder: 'demo', test: ['--test'], commit: 'A cart that adds up wrongly' };
const SAMPLES: Readonly<Record<DemoName, Sample>> = {
  team: TEAM,
  fleet: { ...TEAM, below: 'shop' },
  panel: { folder: 'panel', test: ['--test', 'test/duration.test.mjs'], commit: 'Times that are told badly' },
};

/**
 * Copies a sample of `ralph demo` into a temporary folder, as a git repository where git is there.
 *
 * @param slower how many times longer its model takes to answer, so that a person can follow it in a view
 */
export async function createDemoFolder(env: Readonly<Record<string, string>>, name: DemoName, slower = 1): Promise<DemoFolder> {
  const sample = SAMPLES[name];
  const folder = join(mkdtempSync(join(tmpdir(), 'ralph-demo-')), sample.below ?? '');
  cpSync(join(findPackageFolder(), 'examples', sample.folder), folder, { recursive: true });
  slowDown(join(folder, 'model.yml'), slower);
  await makeRepository(folder, env, sample.commit);
  return {
    folder,
    command: toTypedCommand(env),
    test: async () => {
      const result = await runToEnd({ command: process.execPath, args: sample.test, cwd: folder, env, timeoutMs: 20_000 });
      return { passed: result.status === 'exited' && result.exitCode === 0, output: result.output };
    },
  };
}

function slowDown(script: string, times: number): void {
  if (times === 1) return;
  const text = readFileSync(script, 'utf8').replace(/\bdelay_ms: (\d+)/g, (_, ms) => `delay_ms: ${Number(ms) * times}`);
  writeFileSync(script, text);
}

async function makeRepository(folder: string, env: Readonly<Record<string, string>>, message: string): Promise<void> {
  const git = createGit({ cwd: folder, env });
  const config = ['user.name=Ralph demo', 'user.email=demo@example.invalid'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-q', '-m', message],
  ]) {
    if (!(await git(args, { config, timeoutMs: 10_000 })).ok) return;
  }
}

/** How a person types Ralph in a terminal: by its name where a folder of PATH has it (one that only npm knows is no such folder), else by its file. */
function toTypedCommand(env: Environment): string {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'));
  if (folders.some((folder) => existsSync(join(folder, 'ralph')))) return 'ralph';
  const file = join(findPackageFolder(), 'bin', 'ralph.js');
  return `node ${toShellWord(file)}`;
}
