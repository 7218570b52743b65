import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toAgent } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { type Finished, plainEnvironment, RALPH, start } from './ralph.ts';
import { readStatus, until } from './run-facts.ts';

/** A run that ends, and what a person does who follows what it says then. */
interface Ending {
  /** Beside the agent, which is `claude` played by a script. */
  readonly config?: string;
  readonly body: string;
  readonly args?: readonly string[];
  /** What happens to it once the agent has made the file `here`. */
  readonly happens?: (folder: string, run: ReturnType<typeof start>) => void | Promise<void>;
  /** What its sentence asks of a person before the command is typed. */
  readonly mend?: (folder: string) => void;
  /** Whether its command begins another turn. */
  readonly goesOn: boolean;
}

/** Says something as claude does, for that many dollars. */
const SAY = `say() {
  echo '{"type":"system","subtype":"init","session_id":"s","model":"m"}'
  printf '{"type":"assistant","message":{"content":[{"type":"text","text":"%s"}]},"session_id":"s"}\\n' "$1"
  printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"%s","total_cost_usd":%s}\\n' "$1" "\${2:-0.1}"
}`;
const WAIT = 'if [ "$(nth turn)" = 1 ]; then touch here; sleep 1000; fi; say LOOP_COMPLETE';
const UNTIL_ON = WAIT.replace('sleep 1000', 'while [ ! -e on ]; do sleep 0.05; done; say hm; exit');
const TEAM = 'hats: { builder: { triggers: [build.task], publishes: [build.done] } }\n';
const THREE_TURNS = 'if [ "$(nth turn)" -gt 3 ]; then say LOOP_COMPLETE; else say hm; fi';
const signal =
  (name: NodeJS.Signals): NonNullable<Ending['happens']> =>
  (_, { child }) =>
    void child.kill(name);

const ENDINGS: Readonly<Record<string, Ending>> = {
  completed: { body: 'say LOOP_COMPLETE', goesOn: false },
  stalled: {
    config: TEAM,
    body: 'if [ "$(nth turn)" -gt 4 ]; then say LOOP_COMPLETE; else say hm; fi',
    mend: (folder) => appendFileSync(join(folder, 'PROMPT.md'), 'More exactly: this.\n'),
    goesOn: true,
  },
  loop_detected: {
    config: 'hats: { builder: { triggers: [task.start, task.resume, go.on], publishes: [go.on] } }\n',
    body: 'if [ "$(nth turn)" -gt 3 ]; then say LOOP_COMPLETE; else emit go.on same; say hm; fi',
    mend: (folder) => appendFileSync(join(folder, 'ralph.yml'), 'event_loop: { loop_detection: { repetition: 5 } }\n'),
    goesOn: true,
  },
  consecutive_failures: {
    config: 'event_loop: { max_consecutive_failures: 1 }\n',
    body: 'exit 1',
    mend: (folder) => {
      writeFileSync(join(folder, 'other.sh'), toAgent('echo LOOP_COMPLETE'), { mode: 0o755 });
      writeFileSync(
        join(folder, 'ralph.yml'),
        'cli: { backend: custom, command: ./other.sh }\nevent_loop: { max_consecutive_failures: 1 }\n',
      );
    },
    goesOn: true,
  },
  gate_refused: {
    config: 'event_loop: { max_consecutive_failures: 2 }\ngates: [{ run: test -e good }]\n',
    body: 'say LOOP_COMPLETE',
    mend: (folder) => writeFileSync(join(folder, 'good'), ''),
    goesOn: true,
  },
  workspace_gone: {
    body: 'if [ -e ../../../here ]; then say LOOP_COMPLETE; else touch ../../../here; while [ -e PROMPT.md ]; do sleep 0.05; done; say hm; fi',
    args: ['--worktree', 'side'],
    happens: (folder) => rmSync(join(folder, '.ralph/worktrees/side'), { recursive: true, force: true }),
    goesOn: true,
  },
  storage_failed: {
    body: UNTIL_ON,
    happens: async (folder) => {
      renameSync(join(folder, '.ralph/runs', (await readStatus(folder)).runId), join(folder, 'away'));
      writeFileSync(join(folder, 'on'), '');
    },
    goesOn: true,
  },
  max_iterations: { config: 'event_loop: { max_iterations: 3 }\n', body: THREE_TURNS, goesOn: true },
  max_runtime: { config: 'event_loop: { max_runtime_seconds: 1 }\n', body: WAIT, goesOn: true },
  max_cost: {
    config: 'event_loop: { max_cost_usd: 0.1 }\n',
    body: 'if [ "$(nth turn)" = 1 ]; then say hm 0.9; else say LOOP_COMPLETE; fi',
    goesOn: true,
  },
  'parked for a usage limit': {
    config: 'event_loop: { on_limit: stop }\n',
    body: 'if [ "$(nth turn)" = 1 ]; then echo "You have hit your usage limit" >&2; exit 1; fi; say LOOP_COMPLETE',
    goesOn: true,
  },
  'parked for a refused key': {
    body: 'if [ "$(nth turn)" = 1 ]; then echo "Invalid API key · Please run /login" >&2; exit 1; fi; say LOOP_COMPLETE',
    goesOn: true,
  },
  'parked for an unknown model': {
    body: 'case "$*" in *--model*) say LOOP_COMPLETE ;; *) echo "API Error: 404 not_found_error: model: nope" >&2; exit 1 ;; esac',
    mend: (folder) => writeFileSync(join(folder, 'ralph.yml'), 'cli: { backend: claude, command: ./agent.sh, model: good }\n'),
    goesOn: true,
  },
  interrupted: { body: WAIT, happens: signal('SIGINT'), goesOn: true },
  terminated: { body: WAIT, happens: signal('SIGTERM'), goesOn: true },
  hangup: { body: WAIT, happens: signal('SIGHUP'), goesOn: true },
  killed: { body: WAIT, happens: signal('SIGKILL'), goesOn: true },
};

/** A folder in which a team is set up, with `ralph` in its path. */
function withRun(ending: Ending, use: (folder: string) => Promise<void>): Promise<void> {
  const files = {
    'ralph.yml': `cli: { backend: claude, command: ./agent.sh }\n${ending.config ?? ''}`,
    'agent.sh': toAgent(`${SAY}\ncat > /dev/null < /dev/null\n${ending.body}`),
    'PROMPT.md': 'Do it.\n',
  };
  return withPlace(files, async (folder) => {
    mkdirSync(join(folder, '.bin'));
    symlinkSync(RALPH, join(folder, '.bin/ralph'));
    await run(folder, 'git init -q && git add agent.sh ralph.yml PROMPT.md && git -c user.name=a -c user.email=a@b commit -qm start');
    await use(folder);
  });
}

/** Runs a line as a person types it. */
function run(folder: string, line: string): Promise<Finished> {
  const env = plainEnvironment({ PATH: `${join(folder, '.bin')}:${process.env['PATH']}` });
  return new Promise((resolve) => {
    execFile('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, signal: null, stdout, stderr });
    });
  });
}

/** The commands that a text names: those of its row `Next`, which may go on below. */
function listCommands(text: string): readonly string[] {
  const rows = /^(?:\d\d:\d\d:\d\d )? *Next +(.*(?:\n(?:\d\d:\d\d:\d\d )? {8,}\S.*)*)/m.exec(text);
  const row = rows?.[1]?.replace(/\n(?:\d\d:\d\d:\d\d )? +/g, ' ') ?? '';
  return [...row.matchAll(/`([^`]+)`/g)].flatMap(([, command]) => command ?? []);
}

/** No word of it is unknown, no configuration is refused, no run is missing. */
function expectTaken({ code, stderr }: Finished, command: string): void {
  expect(stderr, command).not.toMatch(/ {2}Fix:|usage|has ended|not found/i);
  expect(code, `${command}\n${stderr}`).not.toBe(127);
}

async function endRun(folder: string, { args = [], happens }: Ending): Promise<string> {
  const begun = start(folder, ['run', '--no-tui', ...args]);
  if (happens !== undefined) {
    await until('the agent to be at work', () => existsSync(join(folder, 'here')));
    await happens(folder, begun);
  }
  const { stdout, stderr } = await begun.done;
  return stdout + stderr;
}

describe.concurrent('what a run that ended says to do next', () => {
  test.for(Object.entries(ENDINGS))('is done by its commands: %s', async ([name, ending]) => {
    await withRun(ending, async (folder) => {
      const told = await endRun(folder, ending);
      const isTold = name !== 'killed';
      if (isTold) expect(told.slice(-1500)).toContain(name.split(' ')[0] === 'completed' ? 'Completed' : name.split(' ')[0]);
      const commands = listCommands(isTold ? told : (await run(folder, 'ralph status')).stdout);
      expect(commands.length, told.slice(-600)).toBeGreaterThan(0);
      ending.mend?.(folder);
      for (const command of commands) expectTaken(await run(folder, command), command);
      const { turns, resumes } = await readStatus(folder);
      expect(resumes, commands.join('; ')).toBe(ending.goesOn ? 1 : 0);
      if (ending.goesOn) expect(turns.at(-1)?.status, commands.join('; ')).toBe('succeeded');
    });
  });

  test('and what `show`, `status` and a refused `resume` say to do is done by their commands, for an older run too', async () => {
    const limited = { config: 'event_loop: { max_iterations: 3 }\n', body: THREE_TURNS, goesOn: true };
    await withRun(limited, async (folder) => {
      await endRun(folder, limited);
      const { runId } = await readStatus(folder);
      expect((await run(folder, 'ralph run -q')).code).toBe(0);
      const refused = await run(folder, `ralph resume ${runId}`);
      expect(refused.code).toBe(2);
      const texts = [
        (await run(folder, `ralph status ${runId}`)).stdout,
        (await run(folder, `ralph show ${runId}`)).stdout,
        refused.stderr,
      ];
      const said = texts.map((text) =>
        text === refused.stderr ? [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '') : listCommands(text),
      );
      expect(said).toEqual(texts.map(() => [`ralph resume ${runId} --max-iterations +10`]));
      expectTaken(await run(folder, said[2]?.[0] ?? ''), said[2]?.[0] ?? '');
      expect(await readStatus(folder, runId)).toMatchObject({ resumes: 1, end: { reason: 'completed' } });
    });
  });

  test('and a refused `resume` after the limit of cost names a limit that lets the run go on', async () => {
    const spent = ENDINGS['max_cost'];
    if (spent === undefined) throw new Error('no ending');
    await withRun(spent, async (folder) => {
      await endRun(folder, spent);
      const refused = await run(folder, 'ralph resume');
      const command = /`(ralph resume[^`]*)`/.exec(refused.stderr)?.[1] ?? '';
      expectTaken(await run(folder, command), command);
      expect(await readStatus(folder)).toMatchObject({ resumes: 1, end: { reason: 'completed' } });
    });
  });

  test('and what `status` of a run under way says is done by its commands, and `stop` says how to go on', async () => {
    const waits = { body: UNTIL_ON, goesOn: true };
    await withRun(waits, async (folder) => {
      const begun = start(folder, ['run', '-q']);
      await until('the agent to be at work', () => existsSync(join(folder, 'here')));
      const { runId } = await readStatus(folder);
      const [watch = '', stop = ''] = listCommands((await run(folder, 'ralph status')).stdout);
      const watching = run(folder, watch);
      const stopping = run(folder, stop);
      await until('the wish to be there', () => existsSync(join(folder, '.ralph/runs', runId, 'stop')));
      writeFileSync(join(folder, 'on'), '');
      for (const [command, taken] of [[watch, await watching] as const, [stop, await stopping] as const]) expectTaken(taken, command);
      await begun.done;
      const next = /Go on with `(ralph resume.*)`/.exec((await stopping).stdout)?.[1] ?? '';
      expectTaken(await run(folder, next), next);
      expect(await readStatus(folder)).toMatchObject({ resumes: 1, end: { reason: 'completed' } });
    });
  });
});
