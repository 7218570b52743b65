import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, TEAM_OF_RALPH, toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';
import { readEvents, readStatus, toRoutes } from './run-facts.ts';

const RUN = ['run', '-c', 'ralph.yml', '-p', 'build the tower', '--no-tui'];

describe.concurrent('a run with a shell script as the agent', () => {
  test('solo goes on, turn by turn, until the agent writes the promise', async () => {
    const body = 'if [ "$(nth turn)" -lt 3 ]; then echo "more to do"; else echo "all done"; echo "**LOOP_COMPLETE**"; fi';
    await withPlace(toFiles('', body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('Completed, unproven after 3 iterations');
      expect(toRoutes(await readEvents(folder))).toEqual([
        'system -> task.start -> ralph',
        'system -> task.continue -> ralph',
        'system -> task.continue -> ralph',
        'ralph -> task.complete -> terminal',
      ]);
    });
  });

  test('Ralph coordinates a builder and a reviewer, with events by file', async () => {
    const body = `
case "$RALPH_HAT" in
  builder) emit build.done "storey $(nth build)" ;;
  reviewer) if [ "$(nth review)" = 1 ]; then emit review.rejected crooked; else emit review.passed straight; fi ;;
  ralph) if [ "$(nth ralph)" = 1 ]; then emit build.task one; else echo LOOP_COMPLETE; fi ;;
esac`;
    await withPlace(toFiles(TEAM_OF_RALPH, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(toRoutes(await readEvents(folder))).toEqual([
        'system -> task.start -> ralph',
        'ralph -> build.task -> builder',
        'builder -> build.done -> reviewer',
        'reviewer -> review.rejected -> builder',
        'builder -> build.done -> reviewer',
        'reviewer -> review.passed -> safety-net',
        'ralph -> task.complete -> terminal',
      ]);
    });
  });

  test('a planner and a builder coordinate themselves, with `ralph emit`; a refused topic comes back with those that are allowed', async () => {
    const body = `
case "$RALPH_HAT" in
  planner) if [ "$(nth plan)" -gt 2 ]; then echo LOOP_COMPLETE; else ralph emit build.task "part $(cat .agent/count-plan | wc -l)"; fi ;;
  builder)
    if "$RALPH_BIN" emit deploy.done 'off it goes' 2> refusal.txt; then echo 'published what it may not'; exit 9; else echo "exit $?" >> refusal.txt; fi
    topic=$(sed -n 's/.*Allowed topics: \\([a-z.]*[a-z]\\).*/\\1/p' refusal.txt)
    ralph emit "$topic" '{"floors": 3}' --json ;;
esac`;
    await withPlace(toFiles(PLANNER_AND_BUILDER, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      const events = await readEvents(folder);
      expect(toRoutes(events)).toEqual([
        'system -> task.start -> planner',
        'planner -> build.task -> builder',
        'builder -> builder.scope_violation -> refused',
        'builder -> build.done -> planner',
        'planner -> build.task -> builder',
        'builder -> builder.scope_violation -> refused',
        'builder -> build.done -> planner',
        'planner -> task.complete -> terminal',
      ]);
      expect(events[3]?.payload).toEqual({ floors: 3 });
      const { stdout: refusal } = await ralph(folder, ['show', '2', '--output']);
      expect(refusal).not.toContain('published what it may not');
    });
  });

  test('a team hands on by tags and EVENT lines in its text', async () => {
    const body = `
case "$RALPH_HAT" in
  planner) if [ "$(nth plan)" = 1 ]; then echo 'Here it is: <event topic="build.task">a tower</event>'; else echo '- LOOP_COMPLETE'; fi ;;
  builder) echo 'EVENT:build.done:{"floors":3}' ;;
esac`;
    await withPlace(toFiles(PLANNER_AND_BUILDER, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      const events = await readEvents(folder);
      expect(events.map(({ topic, payload }) => [topic, payload])).toEqual([
        ['task.start', 'build the tower'],
        ['build.task', 'a tower'],
        ['build.done', { floors: 3 }],
        ['task.complete', ''],
      ]);
    });
  });

  test('hats, in the same run, may each have an agent of their own', async () => {
    const config = `
hats:
  planner: { triggers: [task.start, task.resume, build.done], publishes: [build.task], backend: { command: ./plan.sh, args: [--deep] } }
  builder: { triggers: [build.task], publishes: [build.done] }
`;
    const files = toFiles(config, 'emit build.done "built by $(basename "$0")"', {
      'plan.sh': '#!/bin/sh\nif [ -f planned ]; then echo LOOP_COMPLETE; else touch planned; ralph emit build.task "planned with $1"; fi\n',
    });
    await withPlace(files, async (folder) => {
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect((await readEvents(folder)).slice(1, 3).map((event) => event.payload)).toEqual(['planned with --deep', 'built by agent.sh']);
      expect((await readStatus(folder)).turns.map((turn) => turn.command[0])).toEqual(['./plan.sh', './agent.sh', './plan.sh']);
    });
  });

  test('--hat with --once is one turn of that hat, and no failure', async () => {
    await withPlace(toFiles(TEAM_OF_RALPH, 'echo "I am $RALPH_HAT"; emit review.passed "I am $RALPH_HAT"'), async (folder) => {
      const { code, stdout } = await ralph(folder, [...RUN, '--hat', 'reviewer', '--once']);
      expect(code, stdout).toBe(0);
      const { turns } = await readStatus(folder);
      expect(turns.map((turn) => turn.hat)).toEqual(['reviewer']);
      expect(stdout).toContain('I am reviewer');
    });
  });

  test('a gate is run before the end is believed, and its output goes to the agent', async () => {
    const config = 'gates: [{ run: "test -f proof || { echo $((6 * 7)) proofs are missing; exit 1; }" }]\n';
    const body = 'case "$prompt" in *"42 proofs"*) touch proof ;; esac; echo LOOP_COMPLETE';
    await withPlace(toFiles(config, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      const { turns } = await readStatus(folder);
      expect(turns.map((turn) => turn.gates.map((gate) => gate.passed))).toEqual([[false], [true]]);
    });
  });
});
