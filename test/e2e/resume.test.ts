import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph, readJsonLines } from './ralph.ts';
import { readEvents, readStatus, toRoutes } from './run-facts.ts';

/** The second turn completes the work. */
const TWO_TURNS = 'printf "%s" "$prompt" > asked.txt; if [ "$(nth turn)" = 2 ]; then echo LOOP_COMPLETE; fi';

describe.concurrent('`ralph resume`', () => {
  test('names what was changed since, and goes on with it only if that is accepted', async () => {
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', TWO_TURNS, { 'PROMPT.md': 'the old task\n' }), async (folder) => {
      expect((await ralph(folder, ['run'])).code).toBe(2);
      writeFileSync(join(folder, 'PROMPT.md'), 'the new task\n');
      writeFileSync(join(folder, 'ralph.yml'), `${readFileSync(join(folder, 'ralph.yml'), 'utf8')}core: { specs_dir: ./plans }\n`);
      const refused = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
      expect(refused.stderr).toMatch(/prompt/);
      expect(refused.stderr).toMatch(/specs/);
      expect(refused.stderr).toContain('--accept-changes');
      expect((await readStatus(folder)).turns).toHaveLength(1);
      const fix = /Go on with the changes: ralph (resume .*)/.exec(refused.stderr)?.[1] ?? '';
      const accepted = await ralph(folder, fix.split(' '));
      expect(accepted.code, accepted.stderr).toBe(0);
      expect(readFileSync(join(folder, 'asked.txt'), 'utf8')).toContain('the new task');
    });
  });

  test('goes on after the agent ticked boxes in the prompt file, and is still asked where the task is another one', async () => {
    const body = `sed -i "s/- \\[ \\] part $(nth turn)/- [x] part $(grep -c x .agent/count-turn)/" PROMPT.md
if ! grep -q '\\[ \\]' PROMPT.md; then echo LOOP_COMPLETE; fi`;
    const prompt = '# The task\n\n- [ ] part 1\n- [ ] part 2\n- [ ] part 3\n';
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', body, { 'PROMPT.md': prompt }), async (folder) => {
      expect((await ralph(folder, ['run'])).code).toBe(2);
      expect(readFileSync(join(folder, 'PROMPT.md'), 'utf8')).toContain('- [x] part 1');
      const second = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(second.code, second.stderr).toBe(2);
      expect((await readStatus(folder)).turns).toHaveLength(2);
      const ticked = readFileSync(join(folder, 'PROMPT.md'), 'utf8');
      writeFileSync(join(folder, 'PROMPT.md'), `${ticked}- [ ] part 4\n`);
      const refused = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--accept-changes')]);
      writeFileSync(join(folder, 'PROMPT.md'), ticked);
      const third = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(third.code, third.stderr).toBe(0);
    });
  });

  test('loads the same team, imported hats and settings that were typed, and notices when one of them changed', async () => {
    const team = { 'team.yml': 'hats: {worker: {import: ./worker.yml}}\n', 'worker.yml': 'triggers: [task.start, task.resume]\n' };
    const typed = ['--hats', 'team.yml', '-c', 'event_loop.max_iterations=1', '-c', 'event_loop.completion_promise=ALL_DONE'];
    const body = 'if [ "$(nth turn)" = 3 ]; then echo ALL_DONE; fi';
    await withPlace(toFiles('', body, team), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', ...typed])).code).toBe(2);
      expect((await ralph(folder, ['resume', '--max-iterations', '+1'])).code).toBe(2);
      writeFileSync(join(folder, 'worker.yml'), `${team['worker.yml']}instructions: Be quick.\n`);
      const refused = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('hats.worker')]);
      writeFileSync(join(folder, 'worker.yml'), team['worker.yml']);
      const done = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(done.code, done.stdout + done.stderr).toBe(0);
      expect((await readStatus(folder)).turns.map((turn) => turn.hat)).toEqual(['worker', 'worker', 'worker']);
    });
  });

  test('refuses a configuration that was broken since, and leaves the run as it is', async () => {
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', TWO_TURNS), async (folder) => {
      const good = readFileSync(join(folder, 'ralph.yml'), 'utf8');
      expect((await ralph(folder, ['run', '-p', 'x'])).code).toBe(2);
      writeFileSync(join(folder, 'ralph.yml'), 'hats: [');
      const broken = await ralph(folder, ['resume', '--max-iterations', '+1', '--accept-changes']);
      expect(broken.code).toBe(1);
      expect(broken.stderr).toContain('ralph.yml:1');
      writeFileSync(join(folder, 'ralph.yml'), good);
      expect((await ralph(folder, ['resume', '--max-iterations', '+1'])).code).toBe(0);
    });
  });

  test('is refused where nobody has an agent any more, names who and what is there, and goes on once the agent is back', async () => {
    const team = `hats:
  planner: { triggers: [task.start, task.resume, build.done], publishes: [build.task] }
  builder: { triggers: [build.task], publishes: [build.done], backend: codex }
`;
    const body = 'if [ "$(nth plan)" = 1 ]; then emit build.task tower; else echo LOOP_COMPLETE; fi';
    const codex = '#!/bin/sh\nprintf \'{"topic":"build.done","payload":"x"}\\n\' >> "$RALPH_EVENTS_FILE"\n';
    await withPlace(toFiles(team, body, { 'bin/codex.sh': codex }), async (folder) => {
      const path = `${join(folder, 'bin')}:/usr/bin:/bin`;
      symlinkSync('codex.sh', join(folder, 'bin/codex'));
      const begun = await ralph(folder, ['run', '-p', 'x', '--max-iterations', '1'], { PATH: path });
      expect(begun.code, begun.stderr).toBe(2);
      rmSync(join(folder, 'bin/codex'));
      const refused = await ralph(folder, ['resume', '--max-iterations', '+5'], { PATH: path });
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/builder has no installed agent: codex/);
      expect(refused.stderr).toContain('npm install -g @openai/codex');
      expect(await readStatus(folder)).toMatchObject({ resumes: 0, end: { reason: 'max_iterations' } });
      symlinkSync('codex.sh', join(folder, 'bin/codex'));
      const done = await ralph(folder, ['resume', '--max-iterations', '+5'], { PATH: path });
      expect((await readStatus(folder)).turns.map((turn) => turn.hat).slice(0, 2), done.stderr).toEqual(['planner', 'builder']);
    });
  });

  test('with hats that were taken away hands what waits to those who are there', async () => {
    const body = `
case "$RALPH_HAT" in
  planner) if [ "$(nth plan)" = 1 ]; then emit build.task tower; else echo LOOP_COMPLETE; fi ;;
  maker) emit build.done 'made by the maker' ;;
esac`;
    await withPlace(toFiles(PLANNER_AND_BUILDER, body), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '--max-iterations', '1'])).code).toBe(2);
      writeFileSync(join(folder, 'ralph.yml'), readFileSync(join(folder, 'ralph.yml'), 'utf8').replace('builder:', 'maker:'));
      const { code, stdout, stderr } = await ralph(folder, ['resume', '--max-iterations', '+5', '--accept-changes']);
      expect(code, stdout + stderr).toBe(0);
      expect((await readStatus(folder)).turns.map((turn) => turn.hat)).toEqual(['planner', 'maker', 'planner']);
      expect(toRoutes(await readEvents(folder)).filter((route) => route.includes('build.task'))).toHaveLength(1);
    });
  });

  test('goes on after a journal whose last line was cut short by a power loss, and sets the rest aside', async () => {
    await withPlace(toFiles('', TWO_TURNS), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x', '--max-iterations', '1'])).code).toBe(2);
      const { runId } = await readStatus(folder);
      const journal = join(folder, '.ralph/runs', runId, 'journal.jsonl');
      const whole = readFileSync(journal, 'utf8');
      writeFileSync(journal, whole.slice(0, -40));
      const { code, stdout, stderr } = await ralph(folder, ['resume', '--max-iterations', '+1']);
      expect(code, stdout + stderr).toBe(0);
      expect(existsSync(`${journal}.damaged-1`)).toBe(true);
      expect((await readStatus(folder)).turns.map((turn) => turn.status)).toEqual(['interrupted', 'succeeded']);
    });
  });

  test('takes the beginning of an id, prints for programs, and tells apart what is no run', async () => {
    await withPlace(toFiles('event_loop: { max_iterations: 1 }\n', TWO_TURNS), async (folder) => {
      expect((await ralph(folder, ['run', '-p', 'x'])).code).toBe(2);
      const { runId } = await readStatus(folder);
      const { code, stdout } = await ralph(folder, ['resume', runId.slice(0, 15), '--max-iterations', '2', '--format', 'ndjson']);
      expect(code, stdout).toBe(0);
      const records = readJsonLines<{ readonly kind: string; readonly v: number; readonly type?: string }>(stdout);
      expect(records.every((record) => record.v === 1)).toBe(true);
      expect(records.some((record) => record.type === 'run-resumed')).toBe(true);
      expect(records.at(-1)).toMatchObject({ kind: 'end', reason: 'completed' });
      const unknown = await ralph(folder, ['resume', 'nope']);
      expect(unknown.code).toBe(2);
      expect(unknown.stderr).toContain(runId);
    });
  });

  test('needs the folder of the agents no more: what was cleaned away is made again', async () => {
    await withPlace(
      toFiles(
        '',
        'ralph emit note.taken "$(cat .agent/scratchpad.md 2> /dev/null || echo none)"; if [ -f second ]; then echo LOOP_COMPLETE; fi',
      ),
      async (folder) => {
        expect((await ralph(folder, ['run', '-p', 'x', '--max-iterations', '1'])).code).toBe(2);
        rmSync(join(folder, '.agent'), { recursive: true });
        writeFileSync(join(folder, 'second'), '');
        const { code, stdout, stderr } = await ralph(folder, ['resume', '--max-iterations', '+1']);
        expect(code, stdout + stderr).toBe(0);
        expect(existsSync(join(folder, '.agent/.gitignore'))).toBe(true);
        expect((await readEvents(folder, '--topic', 'note.taken')).map((event) => event.iteration)).toEqual([1, 2]);
      },
    );
  });
});
