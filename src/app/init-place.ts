import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { captureBase } from '../git/index.ts';
import { findSafetyObstacle } from './safety.ts';

/** Where the runs of a project can work. */
export interface InitPlace {
  /** What keeps a run from being safe here, in words; `null`: nothing does. */
  readonly obstacle: string | null;
  /** What a worktree should share with the main checkout, because it is slow to make. */
  readonly links: readonly string[];
}

const STATE_DIRS = ['.ralph', '.agent'];

/** `null` where there can be no worktree: outside of git, and before the first commit. */
export async function findInitPlace(cwd: string, env: Readonly<Record<string, string | undefined>>): Promise<InitPlace | null> {
  const { commit } = await captureBase({ cwd, env, stateDirs: STATE_DIRS });
  if (commit === null) return null;
  const obstacle = await findSafetyObstacle(cwd, env, STATE_DIRS);
  return { obstacle: obstacle?.what ?? null, links: listLinks(cwd) };
}

/** By what tells that a tool keeps installed packages there. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  node_modules: ['package.json'],
  '.venv': ['pyproject.toml', 'requirements.txt', 'setup.py'],
};

function listLinks(cwd: string): readonly string[] {
  return Object.entries(PACKAGES).flatMap(([folder, files]) => (files.some((file) => existsSync(join(cwd, file))) ? [folder] : []));
}

/** What a configuration says of it. */
export function toPlaceText({ obstacle, links }: InitPlace): string {
  const shared = links.length === 0 ? '' : `worktree:\n  link: [${links.join(', ')}]   # shared with it\n`;
  const safe =
    obstacle === null
      ? '# Agents and gates are held by the sandbox of the operating system; once without: ralph run --no-safe\nsafe: true\n'
      : `# safe: true   # not here: ${obstacle.replace(/\s+/g, ' ')}\n`;
  return `\n# A run works in a git worktree of its own; what it did is merged or thrown away afterwards. In this folder instead: in_place\nworkspace: worktree\n${shared}${safe}`;
}
