import { readFileSync } from 'node:fs';
import { platform, release } from 'node:os';
import { join } from 'node:path';
import { maskControls } from '../core/index.ts';
import { readWholeFile } from './read-whole-file.ts';
import type { Jail } from './tool-context.ts';

/** What a project says to agents, in the order in which it is looked for: the first that is there counts. */
const PROJECT_FILES = ['AGENTS.md', 'CLAUDE.md', 'GEMINI.md'];
/** Of that file; about 8,000 tokens. */
const MAX_CHARACTERS = 32_000;

/**
 * Where the agent works, and what the project says to agents: for the system text. It is the same all day, so that providers can cache it. The file is
 * read inside of the jail, as a tool would.
 *
 * @param now epoch milliseconds
 */
export async function describeProject(jail: Jail, now: number): Promise<string> {
  const facts = [
    `- folder: ${toLine(jail.workspace)}`,
    `- system: ${platform()} ${release()}`,
    `- date: ${new Date(now).toISOString().slice(0, 10)}`,
    ...toBranchLine(jail.workspace),
  ];
  return ['# Where you work', ...facts, ...(await readProjectFile(jail))].join('\n');
}

async function readProjectFile(jail: Jail): Promise<readonly string[]> {
  for (const name of PROJECT_FILES) {
    const verdict = await jail.resolveRead(name);
    const file = 'refused' in verdict ? verdict : await readWholeFile(verdict.path, name);
    if ('refused' in file) continue;
    const text = file.bytes.toString('utf8').trim();
    if (text === '') continue;
    const cut = text.length > MAX_CHARACTERS ? `\n[cut here: ${text.length} characters in all; read_file shows the rest]` : '';
    return ['', `# What ${name} of the project says`, '', `${text.slice(0, MAX_CHARACTERS)}${cut}`];
  }
  return [];
}

/** Read from `.git/HEAD`: no program is started for it. Nothing where there is no branch. */
function toBranchLine(workspace: string): readonly string[] {
  try {
    const dot = join(workspace, '.git');
    const [, elsewhere] = readHead(dot);
    const head = elsewhere ?? readFileSync(join(dot, 'HEAD'), 'utf8');
    const [, branch] = /^ref: refs\/heads\/(.{1,200})/.exec(head) ?? [];
    return branch === undefined ? [] : [`- branch of git: ${toLine(branch)}`];
  } catch {
    return [];
  }
}

function readHead(dot: string): readonly [null, string | null] {
  try {
    const [, folder] = /^gitdir: (.+)/.exec(readFileSync(dot, 'utf8')) ?? [];
    return [null, folder === undefined ? null : readFileSync(join(folder.trim(), 'HEAD'), 'utf8')];
  } catch {
    return [null, null];
  }
}

function toLine(text: string): string {
  return maskControls(text.replace(/\s+/g, ' '));
}
