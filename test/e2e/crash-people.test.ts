import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeRepository } from './git.ts';
import { findProcesses } from './processes.ts';
import { ralph, start, withFolder } from './ralph.ts';
import { readEvents, readStatus, repeat } from './run-facts.ts';

/** 3 runs here; as many as wanted by `RALPH_CRASH_RUNS=500 npx vitest run --project e2e test/e2e/crash-people.test.ts`. */
const RUNS = Number(process.env['RALPH_CRASH_RUNS'] ?? 3);
const AT_ONCE = 2;
const STEPS = 3;
const NOTES_OF_A_LIFE = 2;

/**
 * A team with a gate, checkpoints and a default, to which a person speaks while its orchestrator is killed: the listener writes down which notes it was
 * given, and the planner completes after so many parts.
 */
const FILES = {
  'ralph.yml': `
cli: { backend: custom, command: ./agent.sh }
event_loop: { max_iterations: 200, checkpoint_interval: 2, loop_detection: { repetition: 0, oscillation: 0 } }
gates: [{ on: [build.done], run: "test -d parts" }]
hats:
  planner:
    triggers: [task.start, task.resume, build.done, note.read]
    publishes: [build.task]
  builder:
    triggers: [build.task]
    publishes: [build.done]
    default_publishes: build.done
  listener:
    triggers: [human.note]
    publishes: [note.read]
    default_publishes: note.read
`,
  'agent.sh': `#!/bin/sh
for prompt; do :; done
emit() { printf '{"topic":"%s","payload":"%s"}\\n' "$1" "$2" >> "$RALPH_EVENTS_FILE"; }
mkdir -p parts heard
case "$RALPH_HAT" in
  builder) echo part > "parts/$(($(ls parts | wc -l) + 1))" ;;
  listener) for n in $(printf '%s\\n' "$prompt" | grep -o 'note [0-9]*' | grep -o '[0-9]*$'); do echo x >> "heard/$n"; done ;;
  *) if [ "$(ls parts | wc -l)" -ge ${STEPS} ]; then echo LOOP_COMPLETE; else emit build.task go; fi ;;
esac
echo "did it"
`,
};

function hasBegun(folder: string): boolean {
  const runs = join(folder, '.ralph/runs');
  const [run] = existsSync(runs) ? readdirSync(runs) : [];
  const journal = join(runs, run ?? '', 'journal.jsonl');
  return run !== undefined && existsSync(journal) && readFileSync(journal, 'utf8').includes('run-started');
}

/** Runs to the end with kills at random moments, and publishes notes meanwhile. Returns those of which the command said that they were published. */
async function runWithNotes(folder: string, kills: number): Promise<readonly string[]> {
  const said: string[] = [];
  let args = ['run', '-p', 'make them all', '--no-tui', '-q'];
  for (let life = 0; ; life += 1) {
    const run = start(folder, args);
    const timer = life < kills ? setTimeout(() => run.child.kill('SIGKILL'), 100 + Math.random() * 1000) : null;
    let isOver = false;
    const done = run.done.finally(() => {
      isOver = true;
    });
    while (!isOver && said.length < (life + 1) * NOTES_OF_A_LIFE) {
      const note = `note ${said.length + 1}`;
      if (hasBegun(folder) && (await ralph(folder, ['emit', 'human.note', note])).code === 0) said.push(note);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
    }
    const { code, stdout, stderr } = await done;
    if (timer !== null) clearTimeout(timer);
    if (code === 0) return said;
    expect(life, `${stdout}\n${stderr}`).toBeLessThan(kills);
    if (hasBegun(folder)) args = ['resume', '--no-tui', '-q'];
  }
}

test(`${RUNS} runs that a person speaks to, killed at random moments, lose and double no event and leave no process`, {
  timeout: 3_600_000,
}, async () => {
  await repeat(RUNS, AT_ONCE, async (run) => {
    await withFolder(FILES, async (folder) => {
      makeRepository(folder);
      const said = await runWithNotes(folder, 1 + (run % 3));
      const events = (await readEvents(folder)).filter(({ source }) => source === 'external');
      expect(
        events.map(({ payload }) => payload),
        `run ${run}`,
      ).toEqual(said);
      const late = events.filter(({ status }) => status === 'undelivered').map(({ payload }) => String(payload).slice(5));
      const heard = existsSync(join(folder, 'heard')) ? readdirSync(join(folder, 'heard')) : [];
      expect([...heard, ...late].sort(), `run ${run}`).toEqual(said.map((note) => note.slice(5)).sort());
      const { pending, end } = await readStatus(folder);
      expect([end?.reason, pending]).toEqual(['completed', []]);
      expect(findProcesses(folder), `processes left by run ${run}`).toEqual([]);
    });
  });
});
