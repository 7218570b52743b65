import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PLANNER_AND_BUILDER, TEAM_OF_RALPH, toFiles } from './agent-script.ts';
import { findProcesses, withPlace } from './processes.ts';
import { ralph, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const RUN = ['run', '-p', 'work', '--no-tui'];

/** A `claude` as far as its stream goes; each turn says `$text` and costs a quarter. `$after` comes behind its last word. */
function toClaude(body: string): string {
  return `#!/bin/sh
case "$1" in --version) echo '9.9.9 (Claude Code)'; exit 0 ;; esac
for prompt; do :; done
nth() { echo x >> ".agent/count-$1"; grep -c x ".agent/count-$1"; }
say() {
  echo '{"type":"system","subtype":"init","session_id":"s1","model":"claude-sonnet-4-5"}'
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]},"session_id":"s1"}\\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"result":"%s","session_id":"s1","total_cost_usd":0.25,"usage":{"input_tokens":100,"output_tokens":20}}\\n' "$1"
}
${body}
`;
}

/** Runs with a `claude` of ours first on the PATH. */
async function withClaude(
  config: string,
  body: string,
  use: (folder: string, env: { readonly PATH: string }) => Promise<void>,
): Promise<void> {
  await withPlace({ 'ralph.yml': `cli: { backend: claude }\n${config}` }, async (folder) => {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/claude'), toClaude(body));
    chmodSync(join(folder, 'bin/claude'), 0o755);
    await use(folder, { PATH: `${join(folder, 'bin')}:${process.env['PATH']}` });
  });
}

describe.concurrent('does not occur:', () => {
  test('"it was done in the last allowed iteration, and still counts as out of iterations"', async () => {
    await withPlace(toFiles('', 'if [ "$(nth turn)" = 3 ]; then echo LOOP_COMPLETE; fi'), async (folder) => {
      const { code, stdout } = await ralph(folder, [...RUN, '--max-iterations', '3']);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('Completed, unproven after 3 iterations');
    });
  });

  test('"out of iterations is a dead end"', async () => {
    await withPlace(toFiles('', 'if [ "$(nth turn)" = 3 ]; then echo LOOP_COMPLETE; fi'), async (folder) => {
      const first = await ralph(folder, [...RUN, '--max-iterations', '2']);
      expect(first.code).toBe(2);
      expect(first.stdout).toContain('max_iterations');
      const again = await ralph(folder, ['resume']);
      expect([again.code, again.stdout]).toEqual([2, '']);
      expect(again.stderr).toContain('ralph resume --max-iterations +10');
      expect((await ralph(folder, ['resume', '--max-iterations', '+1'])).code).toBe(0);
      const over = await ralph(folder, ['resume']);
      expect([over.code, over.stdout]).toEqual([0, '']);
      expect(over.stderr).toContain('has ended');
    });
  });

  test('"the agent says its last and stays, and so the loop hangs"', async () => {
    await withClaude('', 'say "LOOP_COMPLETE"; touch said; exec sleep 1000', async (folder, env) => {
      const run = start(folder, RUN, env);
      await until('the last word', () => existsSync(join(folder, 'said')));
      const at = Date.now();
      const { code, stdout } = await run.done;
      expect(code, stdout).toBe(0);
      expect(Date.now() - at).toBeLessThan(12_000);
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test('"something in the background holds the pipe of an agent that has ended, and so the loop hangs"', async () => {
    await withPlace(toFiles('', 'sleep 1000 & (setsid sleep 1000 &) ; echo LOOP_COMPLETE; touch said'), async (folder) => {
      const run = start(folder, RUN);
      await until('the last word', () => existsSync(join(folder, 'said')));
      const at = Date.now();
      expect((await run.done).code).toBe(0);
      expect(Date.now() - at).toBeLessThan(8000);
      expect(findProcesses(folder)).toEqual([]);
      expect((await readStatus(folder)).turns[0]?.leftovers).toBeGreaterThanOrEqual(1);
    });
  });

  test('"it talked about LOOP_COMPLETE in a sentence, and the run was over"', async () => {
    const body = `
case "$(nth turn)" in
  1) echo 'I will say LOOP_COMPLETE when it is done.' ;;
  2) printf '\`\`\`\\nLOOP_COMPLETE\\n\`\`\`\\n' ;;
  3) echo 'NOT_LOOP_COMPLETE'; echo 'LOOP_COMPLETED' ;;
  4) echo '> LOOP_COMPLETE' ;;
  *) echo '- **LOOP_COMPLETE**' ;;
esac`;
    await withPlace(toFiles('', body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect((await readStatus(folder)).turns).toHaveLength(5);
    });
  });

  test('"the same topic again and again, with progress in it, was taken for a loop"', async () => {
    const body = `
case "$RALPH_HAT" in
  planner) n=$(nth plan); if [ "$n" -gt 6 ]; then echo LOOP_COMPLETE; else emit build.task "part $n"; fi ;;
  builder) emit build.done "part $(nth build)" ;;
esac`;
    await withPlace(toFiles(PLANNER_AND_BUILDER, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect((await readStatus(folder)).turns).toHaveLength(13);
    });
  });

  test('"two agents sent each other the same thing for hours"', async () => {
    const body = 'case "$RALPH_HAT" in planner) emit build.task again ;; builder) emit build.done again ;; esac';
    await withPlace(toFiles(PLANNER_AND_BUILDER, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code).toBe(1);
      expect(stdout).toContain('loop_detected');
      expect((await readStatus(folder)).turns.length).toBeLessThan(8);
    });
  });

  test('"a new run read the events of an earlier one"', async () => {
    const body =
      'if [ -f second ]; then echo LOOP_COMPLETE; else emit old.news "of the first run"; printf \'{"topic":"torn.line\' >> "$RALPH_EVENTS_FILE"; echo LOOP_COMPLETE; fi';
    await withPlace(toFiles('', body, { '.agent/events.jsonl': '{"topic":"task.complete","payload":"of long ago"}\n' }), async (folder) => {
      const first = await ralph(folder, RUN);
      expect(first.code, first.stdout).toBe(0);
      expect((await readStatus(folder)).turns).toHaveLength(1);
      appendFileSync(join(folder, '.agent/events.jsonl'), '{"topic":"between.runs","payload":"by hand"}\n');
      writeFileSync(join(folder, 'second'), '');
      expect((await ralph(folder, RUN)).code).toBe(0);
      const topics = (await readEvents(folder)).map((event) => event.topic);
      expect(topics).toEqual(['task.start', 'task.complete']);
    });
  });

  test('"a resumed run forgot its cost, its iterations and its events"', async () => {
    const config = `event_loop: { max_cost_usd: 0.75 }
hats:
  left: { triggers: [go.left], publishes: [went.left] }
  right: { triggers: [go.right], publishes: [went.right] }
`;
    const body = `
case "$RALPH_HAT" in
  ralph) if [ "$(nth ralph)" = 1 ]; then ralph emit go.left l; ralph emit go.right r; say ok; else say LOOP_COMPLETE; fi ;;
  *) ralph emit "went.$RALPH_HAT" "$RALPH_HAT"; say ok ;;
esac > "out-$$"; cat "out-$$"; rm "out-$$"`;
    await withClaude(config, body, async (folder, env) => {
      expect((await ralph(folder, [...RUN, '--max-iterations', '2'], env)).code).toBe(2);
      const before = await readStatus(folder);
      expect(before.totals.usage.costUsd).toBe(0.5);
      expect(before.pending.map((event) => event.topic)).toEqual(['go.right', 'went.left']);
      const limited = await ralph(folder, ['resume', '--max-iterations', '+10'], env);
      expect(limited.code).toBe(2);
      expect(limited.stdout).toContain('max_cost');
      const resumed = await ralph(folder, ['resume', '--max-cost', '5'], env);
      expect(resumed.code, resumed.stdout + resumed.stderr).toBe(0);
      const { turns, totals } = await readStatus(folder);
      expect(turns.map(({ iteration, hat }) => `${iteration} ${hat}`)).toEqual(['1 ralph', '2 left', '3 right', '4 ralph']);
      expect(totals.usage.costUsd).toBe(1);
      expect(toRoutes(await readEvents(folder))).toEqual([
        'system -> task.start -> ralph',
        'ralph -> go.left -> left',
        'ralph -> go.right -> right',
        'left -> went.left -> safety-net',
        'right -> went.right -> safety-net',
        'ralph -> task.complete -> terminal',
      ]);
    });
  });

  test('"Ctrl+C left servers running that the agent had started as daemons"', async () => {
    const daemon = `(setsid nohup sh -c '(trap "" TERM HUP INT; touch hangs; while :; do sleep 1; done) & exit 0' > /dev/null 2>&1 < /dev/null &)`;
    await withPlace(toFiles('', `${daemon}; cd /; sleep 1000`), async (folder) => {
      const run = start(folder, RUN);
      await until('the daemon', () => existsSync(join(folder, 'hangs')));
      expect(findProcesses(folder).length).toBeGreaterThan(1);
      run.child.kill('SIGINT');
      expect((await run.done).code).toBe(130);
      expect(findProcesses(folder)).toEqual([]);
    });
  });

  test('"without a terminal view every run costs 0"', async () => {
    await withClaude('', 'if [ "$(nth turn)" = 2 ]; then say LOOP_COMPLETE; else say more; fi', async (folder, env) => {
      const { code, stdout } = await ralph(folder, RUN, env);
      expect(code, stdout).toBe(0);
      expect(stdout).toContain('$0.50');
      expect(stdout).not.toContain('"type"');
      const { totals, turns } = await readStatus(folder);
      expect(totals.usage).toMatchObject({ costUsd: 0.5, inputTokens: 200, outputTokens: 40 });
      expect(turns.map((turn) => turn.sessionId)).toEqual(['s1', 's1']);
      expect((await ralph(folder, ['runs'])).stdout).toContain('$0.50');
    });
  });

  test('"the cost limit is not looked at"', async () => {
    await withClaude('', 'say more', async (folder, env) => {
      const { code, stdout } = await ralph(folder, [...RUN, '--max-cost', '0.6'], env);
      expect(code).toBe(2);
      expect(stdout).toContain('max_cost');
      expect((await readStatus(folder)).turns).toHaveLength(3);
    });
  });

  test('"the default event was published although the turn had failed"', async () => {
    const config = `
hats:
  planner: { triggers: [task.start, task.resume, build.done, error.cli], publishes: [build.task] }
  builder: { triggers: [build.task], publishes: [build.done], default_publishes: build.done }
`;
    const body = `
case "$RALPH_HAT" in
  planner) n=$(nth plan); if [ "$n" = 3 ]; then echo LOOP_COMPLETE; else emit build.task "try $n"; fi ;;
  builder) echo "I tried"; [ "$(nth build)" -gt 1 ] ;;
esac`;
    await withPlace(toFiles(config, body), async (folder) => {
      const { code, stdout } = await ralph(folder, RUN);
      expect(code, stdout).toBe(0);
      expect(toRoutes(await readEvents(folder))).toEqual([
        'system -> task.start -> planner',
        'planner -> build.task -> builder',
        'system -> error.cli -> planner',
        'planner -> build.task -> builder',
        'builder -> build.done -> planner',
        'planner -> task.complete -> terminal',
      ]);
    });
  });

  test('"an event that no hat takes was lost"', async () => {
    const body = `
case "$RALPH_HAT" in
  builder) emit build.done done ;;
  reviewer) emit review.passed fine ;;
  ralph) case "$prompt" in *review.passed*fine*) echo LOOP_COMPLETE ;; *) emit build.task one ;; esac ;;
esac`;
    await withPlace(toFiles(TEAM_OF_RALPH, body), async (folder) => {
      expect((await ralph(folder, RUN)).code).toBe(0);
      expect(toRoutes(await readEvents(folder))).toContain('reviewer -> review.passed -> safety-net');
    });
  });

  test('"exit code 0 was taken for success although the agent had said that it failed"', async () => {
    const body = `echo '{"type":"system","subtype":"init","session_id":"s1","model":"m"}'
echo '{"type":"result","subtype":"error_during_execution","is_error":true,"result":"LOOP_COMPLETE","session_id":"s1","total_cost_usd":0.1}'`;
    await withClaude('event_loop: { max_consecutive_failures: 2 }\n', body, async (folder, env) => {
      const { code, stdout } = await ralph(folder, RUN, env);
      expect(code, stdout).toBe(1);
      expect(stdout).toContain('consecutive_failures');
      expect((await readStatus(folder)).totals).toMatchObject({ failed: 2 });
    });
  });
});
