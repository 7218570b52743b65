import { execFileSync } from 'node:child_process';
import { plainEnvironment } from './ralph.ts';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** Runs git in a folder, as a person called Ann would; its output without the last line end. */
export function git(folder: string, ...args: readonly string[]): string {
  const env = plainEnvironment({ ...IDENTITY, GIT_CONFIG_GLOBAL: '/dev/null' });
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
}

/** Makes a folder a repository, with everything in it committed. */
export function makeRepository(folder: string): void {
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'first');
}
