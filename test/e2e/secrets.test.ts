import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

const SECRET = 'hunter2-Correct-Horse-42';
const CONFIG = `
mcp_servers: {}
hats:
  planner: { triggers: [task.start, task.resume, build.done], publishes: [build.task] }
  builder: { triggers: [build.task], publishes: [build.done] }
`;
/** As a configuration names the variable. */
const REFERENCE = '$' + '{TOOL_SECRET}';
const ARGS = `cli:
  backend: custom
  command: ./agent.sh
  args: ["--key", "${REFERENCE}", "--token=literal-Value-77x"]
  env: { BACKEND_KEY: "${REFERENCE}" }
`;
/** Says the secret by every way that it has: its text in two pieces, an event, what it was started with, its errors. */
const BODY = `
echo "$RALPH_HAT was told: $prompt" >> prompts.txt
case "$RALPH_HAT" in
  planner)
    if [ "$(nth planner)" = 1 ]; then printf 'the key is hunter2-Correct'; printf -- '-Horse-42, is it?\\n'; emit build.task "use $TOOL_SECRET"
    else echo "done with $BACKEND_KEY"; echo LOOP_COMPLETE; fi ;;
  builder) echo "failing with $TOOL_SECRET" >&2; echo "built with $TOOL_SECRET and $2"; emit build.done "it was $TOOL_SECRET" ;;
esac`;

function files(): Record<string, string> {
  const made = toFiles(CONFIG, BODY);
  return { ...made, 'ralph.yml': `${ARGS}${CONFIG}` };
}

/** The text of every file below a folder that people and later turns are shown. */
function readAll(folder: string): readonly (readonly [string, string])[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, readFileSync(path, 'utf8')] as const);
}

describe.concurrent('a secret of the environment', () => {
  test('that agents print is in no screen, report, prompt or journal, and no file of the run but the raw outputs', async () => {
    await withPlace(files(), async (folder) => {
      const env = { TOOL_SECRET: SECRET };
      const run = await ralph(folder, ['run', '-v', '-p', 'build it'], env);
      expect(run.stdout).toContain('[redacted: TOOL_SECRET]');
      expect(run.code).toBe(0);
      const shown = [run];
      for (const words of [
        ['show', '1'],
        ['show', '2'],
        ['show', '2', '--prompt'],
        ['status', '--format', 'json'],
        ['events', '--format', 'json'],
      ]) {
        shown.push(await ralph(folder, words, env));
      }
      for (const { stdout, stderr } of shown) {
        expect(`${stdout}${stderr}`).not.toContain(SECRET);
        expect(`${stdout}${stderr}`).not.toContain('literal-Value-77x');
      }
      const leaking = readAll(join(folder, '.ralph')).filter(([, text]) => text.includes(SECRET) || text.includes('literal-Value-77x'));
      expect(leaking.map(([path]) => path).filter((path) => !/std(out|err)\.log$/.test(path))).toEqual([]);
      expect(readFileSync(join(folder, 'prompts.txt'), 'utf8')).toContain('use [redacted: TOOL_SECRET]');
    });
  });

  test('that the task or a gate has is in nothing that is made to be shown', async () => {
    const body = 'echo LOOP_COMPLETE';
    await withPlace(toFiles(`gates: [{ run: "test ${SECRET}", on: [LOOP_COMPLETE] }]\n`, body), async (folder) => {
      const env = { TOOL_SECRET: SECRET };
      await ralph(folder, ['run', '-p', `deploy with ${SECRET}`], env);
      const { code, stdout } = await ralph(folder, ['report', '--with-outputs', '-o', '-'], env);
      expect(code).toBe(0);
      expect(stdout).toContain('deploy with [redacted: TOOL_SECRET]');
      expect(stdout).not.toContain(SECRET);
    });
  });

  test('reaches its agent again after a stop, and a new value is told, not refused', async () => {
    const stopping = BODY.replace('emit build.done', '[ "$2" = other-Value-1234567 ] || exit 9; emit build.done');
    await withPlace({ ...files(), 'agent.sh': toFiles(CONFIG, stopping)['agent.sh'] as string }, async (folder) => {
      const first = await ralph(folder, ['run', '-p', 'build it', '--max-iterations', '2'], { TOOL_SECRET: SECRET });
      expect(first.code).not.toBe(0);
      const resumed = await ralph(folder, ['resume', '--max-iterations', '+10'], { TOOL_SECRET: 'other-Value-1234567' });
      expect(resumed.code).toBe(0);
      expect(`${resumed.stdout}${resumed.stderr}`).toContain('TOOL_SECRET');
      expect(`${resumed.stdout}${resumed.stderr}`).not.toContain('other-Value-1234567');
    });
  });
});
