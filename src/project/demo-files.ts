import { cpSync, existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { findPackageFolder } from '../config/index.ts';
import { toShellWord } from '../core/text/shell-word.ts';
import type { Environment } from '../core/values/environment.ts';
import { createGit } from '../git/index.ts';
import { runCommand } from '../process/index.ts';

/** The sample of the demo. */
export interface DemoFolder {
  /** The temporary folder with the sample repository. */
  readonly folder: string;
  /** How Ralph is typed here: `ralph`, or `node /path/bin/ralph.js`. */
  readonly command: string;
  /** Runs the sample's tests, as the gate does. */
  readonly test: () => Promise<{ readonly passed: boolean; readonly output: string }>;
}

/** Copies the sample of `ralph demo` into a temporary folder, as a git repository where git is there. */
export async function createDemoFolder(env: Readonly<Record<string, string>>): Promise<DemoFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'ralph-demo-'));
  cpSync(join(findPackageFolder(), 'examples', 'demo'), folder, { recursive: true });
  await makeRepository(folder, env);
  return {
    folder,
    command: toTypedCommand(env),
    test: async () => {
      const result = await runCommand({ command: process.execPath, args: ['--test'], cwd: folder, env, timeoutMs: 20_000 });
      return { passed: result.status === 'exited' && result.exitCode === 0, output: result.output };
    },
  };
}

async function makeRepository(folder: string, env: Readonly<Record<string, string>>): Promise<void> {
  const git = createGit({ cwd: folder, env });
  const config = ['user.name=Ralph demo', 'user.email=demo@example.invalid'];
  for (const args of [
    ['init', '-q'],
    ['add', '.'],
    ['commit', '-q', '-m', 'A cart that adds up wrongly'],
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
