/** What a person changes in the folder of the run while a panel works is theirs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { git, makeRepository } from './git.ts';
import { answer, readAnswers, readMoves, script, vote, write } from './panel-scripts.ts';
import { ralph, start, withFolder } from './ralph.ts';

const CONFIG = `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write add.mjs, max_iterations: 3}
gates: []
checkpoints: {mode: off}
hats:
  builder:
    profile: creator
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    panel: {agents: [{id: anna}, {id: benjamin}, {id: carl}], injection: off}
`;

const FILES = { 'ralph.yml': CONFIG, 'hello.txt': 'hello\n', '.gitignore': '.ralph\n.agent\n' };

const slow = (delayMs: number): string =>
  script({
    anna: [[write('one'), answer('A')], [vote('agent1', delayMs)], [vote('agent1')]],
    benjamin: [[write('one'), answer('B')], [vote('agent1', delayMs)], [vote('agent1')]],
    carl: [[write('one'), answer('C')], [vote('agent1', delayMs)], [vote('agent1')]],
  });

test.each([
  ['goes on', false],
  ['is killed and goes on', true],
])('a file that a person changes while a panel works, which %s, is not in its work, and undo leaves it', async (_, isKilled) => {
  await withFolder({ ...FILES, 'model.yml': slow(isKilled ? 8000 : 2000) }, async (folder) => {
    makeRepository(folder);
    const running = start(folder, ['run', '--no-tui']);
    await vi.waitFor(() => expect(readAnswers(folder)).toHaveLength(3), { timeout: 20_000 });
    writeFileSync(join(folder, 'hello.txt'), 'by a person\n');
    if (isKilled) running.child.kill('SIGKILL');
    const done = await running.done;
    const { code, stdout, stderr } = isKilled ? await ralph(folder, ['resume', '--no-tui']) : done;
    const output = stdout + stderr;
    expect([code, output]).toEqual([0, expect.stringMatching(/Not in this: 1 file that changed between turns \(hello\.txt\)/)]);
    expect(readMoves(folder).at(-1)?.kind).toBe('round-ended');
    expect((await ralph(folder, ['diff', '--last'])).stdout).not.toContain('by a person');
    await ralph(folder, ['undo', '--yes']);
    expect(readFileSync(join(folder, 'hello.txt'), 'utf8')).toBe('by a person\n');
    expect(git(folder, 'status', '--porcelain')).toBe(' M hello.txt');
  });
});
