import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines } from './ralph.ts';
import { type EventFacts, readEvents, readStatus, toRoutes } from './run-facts.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/seven-hats', import.meta.url));

/** What is asked here of one line of a turn's session. */
interface SessionLine {
  readonly type: string;
  readonly tools?: readonly string[];
  readonly result?: { readonly name: string; readonly text: string; readonly isError: boolean };
}

/** A repository that is the example, everything committed. */
async function withExample(use: (folder: string) => Promise<void>): Promise<void> {
  await withPlace({}, async (folder) => {
    cpSync(EXAMPLE, folder, { recursive: true });
    makeRepository(folder);
    git(folder, 'config', 'user.name', 'Ann');
    git(folder, 'config', 'user.email', 'ann@example.com');
    await use(folder);
  });
}

async function readSession(folder: string, turn: string): Promise<readonly SessionLine[]> {
  const { runId } = await readStatus(folder);
  return readJsonLines(readFileSync(join(folder, '.ralph/runs', runId, 'turns', turn, 'session.jsonl'), 'utf8'));
}

const FLOW = [
  'system -> task.start -> planner',
  'planner -> implementation.ready -> creator',
  'creator -> implementation.done -> critic',
  'critic -> review.changes_requested -> creator',
  'creator -> implementation.done -> critic',
  'critic -> review.approved -> editor',
  'editor -> task.complete -> terminal',
];

describe('the flow of seed 000 with the preset of seven hats, native agent, real tools, real repository', () => {
  test('goes from the task over a change request to the end, through the gate', async () => {
    await withExample(async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '--hats', 'preset:hats', '--no-tui']);
      expect(code, stdout).toBe(0);
      expect(toRoutes(await readEvents(folder))).toEqual(FLOW);

      // The gate is a command that Ralph ran itself.
      const { turns } = await readStatus(folder);
      expect(turns.map(({ hat }) => hat)).toEqual(['planner', 'creator', 'critic', 'creator', 'critic', 'editor']);
      expect(turns.at(-1)?.gates).toMatchObject([{ command: 'node --test', passed: true, exitCode: 0 }]);

      // The critic tried to write, was refused, and nothing came of it.
      const critic = await readSession(folder, '3.1');
      expect(critic.find(({ type }) => type === 'session')?.tools).not.toContain('write_file');
      const refused = critic.flatMap(({ result }) => (result?.name === 'write_file' ? [result] : []));
      expect(refused).toMatchObject([{ isError: true, text: expect.stringContaining('not among the tools of this hat') }]);

      // What the others wrote is there and committed.
      expect(git(folder, 'log', '--reverse', '--format=%s').split('\n')).toEqual([
        'first',
        'slugify: words, ends',
        'slugify: letters with accents',
        'How slugify is called',
      ]);
      expect(git(folder, 'status', '--porcelain')).toBe('');
      expect(readFileSync(join(folder, 'src/slugify.mjs'), 'utf8')).toContain(".normalize('NFD')");
      expect(existsSync(join(folder, 'USAGE.md'))).toBe(true);
      expect(stdout).toContain('switched to critic (');
    });
  });

  test('runs by `ralph run` alone, and says which event followed from which', async () => {
    await withExample(async (folder) => {
      const { code, stdout } = await ralph(folder, ['run', '--no-tui']);
      expect(code, stdout).toBe(0);
      const lines = readJsonLines<EventFacts & { readonly causes: readonly string[] }>(
        (await ralph(folder, ['events', '--graph', '--format', 'json'])).stdout,
      );
      expect(lines.map(({ id, causes }) => `${id} < ${causes.join()}`)).toEqual([
        'e1 < ',
        'e2 < e1',
        'e3 < e2',
        'e4 < e3',
        'e5 < e4',
        'e6 < e5',
        'e7 < e6',
      ]);
    });
  });
});

test('the team of the example is that of the preset', () => {
  const hatsOf = (request: { readonly hatsOverlay?: string }) => {
    const { draft } = readConfig({ cwd: EXAMPLE, configFiles: ['ralph.yml'], ...request });
    return draft?.spec.hats?.map(({ backends: _, ...hat }) => hat);
  };
  expect(hatsOf({})).toEqual(hatsOf({ hatsOverlay: 'preset:hats' }));
  expect(hatsOf({})).toHaveLength(7);
});
