import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findProcesses } from './processes.ts';
import { ralph, readJsonLines, start, withFolder } from './ralph.ts';
import { repeat } from './run-facts.ts';

/** 20 runs here; as many as wanted by `RALPH_CRASH_RUNS=200 npx vitest run --project e2e test/e2e/crash.test.ts`. */
const RUNS = Number(process.env['RALPH_CRASH_RUNS'] ?? 20);
const AT_ONCE = 2;
/** Turns of planner and builder together. */
const STEPS = 15;

/**
 * Two hats that hand a number to and fro. What they do follows from their prompt alone and may be done twice: so the outcome must be the same
 * however often the orchestrator dies.
 */
const FILES = {
  'ralph.yml': `
cli: { backend: custom, command: ./agent.sh }
event_loop: { max_iterations: 200 }
hats:
  planner:
    triggers: [task.start, task.resume, build.done]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
`,
  'agent.sh': `#!/bin/sh
for prompt; do :; done
emit() { printf '{"topic":"%s","payload":"%s"}\\n' "$1" "$2" >> "$RALPH_EVENTS_FILE"; }
last() { printf '%s\\n' "$prompt" | grep -o "$1 [0-9]*" | tail -n 1 | grep -o '[0-9]*$'; }
if [ "$RALPH_HAT" = builder ]; then
  n=$(last 'make part')
  [ -n "$n" ] || exit 3
  mkdir -p parts
  echo "part $n" > "parts/$n.new" && mv "parts/$n.new" "parts/$n"
  emit build.done "made part $n"
else
  n=$(last 'made part')
  n=\${n:-0}
  if [ "$n" -ge ${STEPS} ]; then echo LOOP_COMPLETE; else emit build.task "make part $((n + 1))"; fi
fi
echo "did it"
`,
};

interface Row {
  readonly topic: string;
  readonly payload: unknown;
  readonly source: string;
  readonly to: readonly string[];
  readonly status: string;
}

/** What a run amounted to: its routed events but \`task.resume\`, and the files it left. */
async function readOutcome(
  folder: string,
): Promise<{ readonly events: readonly unknown[]; readonly files: Readonly<Record<string, string>> }> {
  const { stdout } = await ralph(folder, ['events', '--format', 'json']);
  const rows = readJsonLines<Row>(stdout).filter((row) => row.status === 'routed' && row.topic !== 'task.resume');
  const parts = join(folder, 'parts');
  const names = readdirSync(parts).filter((name) => !name.endsWith('.new'));
  const files = Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(parts, name), 'utf8')]));
  return { events: rows.map(({ topic, payload, source, to }) => ({ topic, payload, source, to })), files };
}

/** Runs to the end, killing the orchestrator at random moments. */
async function runWithKills(folder: string, kills: number): Promise<void> {
  let args = ['run', '-p', 'make them all', '--no-tui', '-q'];
  for (let kill = 0; kill < kills; kill += 1) {
    const run = start(folder, args);
    const timer = setTimeout(() => run.child.kill('SIGKILL'), 80 + Math.random() * 500);
    const { code } = await run.done;
    clearTimeout(timer);
    if (code === 0) return;
    if (
      readdirSync(folder).includes('.ralph') &&
      readdirSync(join(folder, '.ralph')).includes('runs') &&
      readdirSync(join(folder, '.ralph', 'runs')).length > 0
    ) {
      const started = readFileSync(
        join(folder, '.ralph', 'runs', readdirSync(join(folder, '.ralph', 'runs'))[0] as string, 'journal.jsonl'),
        { encoding: 'utf8', flag: 'a+' },
      );
      if (started.includes('run-started')) args = ['resume', '--no-tui', '-q'];
    }
  }
  const { code, stdout, stderr } = await ralph(folder, args);
  expect(code, `${stdout}\n${stderr}`).toBe(0);
}

test(`${RUNS} runs of ${STEPS * 2 + 1} turns, killed at random moments and resumed, route the same events and leave the same files as an undisturbed one`, {
  timeout: 3_600_000,
}, async () => {
  const undisturbed = await withFolder(FILES, async (folder) => {
    await runWithKills(folder, 0);
    return readOutcome(folder);
  });
  expect(undisturbed.events).toHaveLength(STEPS * 2 + 1);
  expect(Object.keys(undisturbed.files)).toHaveLength(STEPS);
  await repeat(RUNS, AT_ONCE, async (run) => {
    await withFolder(FILES, async (folder) => {
      await runWithKills(folder, 1 + (run % 4));
      const outcome = await readOutcome(folder);
      expect(outcome, `run ${run}`).toEqual(undisturbed);
      expect(findProcesses(folder), `processes left by run ${run}`).toEqual([]);
    });
  });
});
