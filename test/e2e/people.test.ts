import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findIsolation } from '../../src/process/index.ts';
import { toFiles } from './agent-script.ts';
import { makeRepository } from './git.ts';
import { findProcesses, withPlace } from './processes.ts';
import { plainEnvironment, RALPH, ralph, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes, until } from './run-facts.ts';

const TEAM = `
hats:
  worker:
    triggers: [task.start, task.resume, note.read]
    publishes: []
  listener:
    triggers: [human.note]
    publishes: [note.read, LOOP_COMPLETE]
`;
const WAITS = 'touch working; while [ ! -e go ]; do sleep 0.05; done; echo worked';

/** What the command of somebody who is no person answers. */
const REFUSED = expect.stringContaining('Only a person may do this');
const search = await findIsolation();
const found = search.ok ? search.value : null;
const HELD = `
hats:
  critic:
    triggers: [task.start, task.resume, note.read]
    publishes: []
    profile: critic
  listener:
    triggers: [human.note]
    publishes: [note.read, LOOP_COMPLETE]
`;

/** A person's shell: a terminal of their own, and no token. */
function onTerminal(folder: string, args: readonly string[]): { readonly code: number | null; readonly said: string } {
  const command = [process.execPath, RALPH, ...args].map((word) => `'${word}'`).join(' ');
  const env = plainEnvironment({ RALPH_TOKEN: '' });
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], { cwd: folder, env, encoding: 'utf8', timeout: 30_000 });
  return { code: status, said: stdout };
}

/** As a container does: the same files, processes of its own. */
function inNamespace(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): SpawnSyncReturns<string> {
  const [command = '', ...words] = found?.enter ?? [];
  const program = [process.execPath, RALPH, ...args];
  return spawnSync(command, [...words, ...program], {
    cwd: folder,
    env: plainEnvironment({ RALPH_TOKEN: '', ...env }),
    encoding: 'utf8',
    timeout: 20_000,
    killSignal: 'SIGKILL',
  });
}

/** Tries to be a person, cut loose from the turn and without its environment, while the turn goes on; and once more when the turn is over. */
const FORGER = `
[ -e .agent/tried ] || cat > .agent/forge.sh <<'END'
sleep 0.3
$NODE $RALPH emit human.note forged > .agent/forged.txt 2>&1; echo $? > .agent/forged-code.txt
$NODE $RALPH stop > .agent/stop.txt 2>&1
$NODE $RALPH token > .agent/token.txt 2>&1
touch .agent/tried
sleep 1
$NODE $RALPH emit human.note "forged after its turn"
END
if [ -e .agent/tried ]; then sleep 1.5; exit; fi
export NODE=${process.execPath} RALPH=${RALPH}
env -i NODE="$NODE" RALPH="$RALPH" PATH=/usr/bin:/bin setsid -f bash .agent/forge.sh
i=0; while [ ! -e .agent/tried ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done
echo worked`;

describe('a process that an agent cut loose is no person, whatever it forgot of its turn', () => {
  test.each([
    ['in a namespace of its own', '', TEAM],
    ['without a namespace', 'isolation: off\n', TEAM],
    ['in the sandbox', '', HELD],
    ['in the sandbox, without a namespace besides', 'isolation: off\n', HELD],
    ['held by flags alone', 'sandbox: off\n', HELD],
    ['held by nothing', 'isolation: off\nsandbox: off\n', HELD],
  ])('%s', async (_, config, team) => {
    await withPlace(toFiles(config + team, FORGER), async (folder) => {
      await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '2']);
      const read = (name: string): string => readFileSync(`${folder}/.agent/${name}`, 'utf8');
      expect([read('forged-code.txt'), read('forged.txt'), read('token.txt')]).toEqual(['1\n', REFUSED, REFUSED]);
      // The sandbox hides the locks.
      expect(read('stop.txt')).toMatch(/Only a person may do this|No run is under way/);
      expect(toRoutes(await readEvents(folder)).join('\n')).not.toContain('human.note');
      expect((await readStatus(folder)).end?.reason).toBe('max_iterations');
    });
  });
});

describe('a person', () => {
  test.each([
    ['isolated', ''],
    ['not isolated', 'isolation: off\n'],
  ])('on a terminal of their own is heard by a run that is %s', async (_, config) => {
    await withPlace(toFiles(config + TEAM, WAITS), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '--no-tui']);
      await run.says('worker');
      expect(onTerminal(folder, ['emit', 'human.note', 'please check'])).toMatchObject({ code: 0 });
      expect(onTerminal(folder, ['token']).said.trim()).toMatch(/^[\w-]{43}$/);
      expect(onTerminal(folder, ['stop', '--now'])).toMatchObject({ code: 0 });
      expect((await run.done).code).toBe(130);
      expect((await readStatus(folder)).end?.reason).toBe('interrupted');
    });
  });

  test.skipIf(found === null)('needs no terminal where every agent has a namespace of its own', async () => {
    await withPlace(toFiles(TEAM, WAITS), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
      await run.says('worker');
      expect((await ralph(folder, ['emit', 'human.note', 'from cron'], { RALPH_TOKEN: '' })).code).toBe(0);
      writeFileSync(`${folder}/go`, '');
      await run.done;
      expect(await readEvents(folder, '--topic', 'human.note')).toMatchObject([{ sender: { how: 'namespace' } }]);
    });
  });

  test('needs one where a gate shares the processes of the machine', async () => {
    const gates = 'gates: [{ run: "true", isolation: off }]\n';
    await withPlace(toFiles(gates + TEAM, 'echo worked'), async (folder) => {
      await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
      const { code, stderr } = await ralph(folder, ['emit', 'human.note', 'x'], { RALPH_TOKEN: '' });
      expect([code, stderr]).toEqual([1, REFUSED]);
    });
  });

  test.skipIf(found === null)('in another process namespace is known by the token alone', async () => {
    await withPlace(toFiles(TEAM, WAITS), async (folder) => {
      const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
      await run.says('worker');
      for (const args of [['emit', 'human.note', 'x'], ['stop'], ['token']]) {
        expect(inNamespace(folder, args)).toMatchObject({ status: 1, stderr: REFUSED });
      }
      const { RALPH_TOKEN: token = '' } = plainEnvironment();
      expect(inNamespace(folder, ['emit', 'human.note', 'with token'], { RALPH_TOKEN: token })).toMatchObject({ status: 0 });
      writeFileSync(`${folder}/go`, '');
      await run.done;
      expect(await readEvents(folder, '--topic', 'human.note')).toMatchObject([{ payload: 'with token', sender: { how: 'token' } }]);
    });
  });
});

test.skipIf(found === null)('from another process namespace a run is never taken for dead', async () => {
  const body = 'touch working; sleep 600';
  await withPlace(toFiles('', body), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui']);
    await until('the turn', () => existsSync(`${folder}/working`));
    const before = JSON.stringify(readFileSync(`${folder}/.ralph/lock`, 'utf8'));
    const locked = expect.stringContaining('process namespace');
    for (const args of [['run', '-p', 'y'], ['resume']]) expect(inNamespace(folder, args)).toMatchObject({ status: 1, stderr: locked });
    inNamespace(folder, ['clean', '--keep', '0']);
    inNamespace(folder, ['reap']);
    expect(JSON.parse(inNamespace(folder, ['status', '--format', 'json']).stdout)).toMatchObject({ isAlive: true });
    expect(run.child.exitCode).toBe(null);
    expect(JSON.stringify(readFileSync(`${folder}/.ralph/lock`, 'utf8'))).toBe(before);
    run.child.kill('SIGKILL');
    await run.done;
    for (const args of [['run', '-p', 'y'], ['resume']]) expect(inNamespace(folder, args)).toMatchObject({ status: 1, stderr: locked });
    expect((await ralph(folder, ['reap'])).code).toBe(0);
    expect(findProcesses(folder)).toEqual([]);
  });
});

test('the token of a run is in no environment of an agent, and who brings it is on record', async () => {
  const body = `env > env.txt; if [ "$RALPH_HAT" = worker ]; then ${WAITS}; else echo LOOP_COMPLETE; fi`;
  await withPlace(toFiles(`isolation: off\n${TEAM}`, body), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui']);
    await run.says('worker');
    const refusedWithout = await ralph(folder, ['emit', 'human.note', 'no token'], { RALPH_TOKEN: 'not-the-token-of-this-run' });
    expect([refusedWithout.code, refusedWithout.stderr]).toEqual([1, expect.stringContaining('Only a person may do this')]);
    const emitted = await ralph(folder, ['emit', 'human.note', 'please check']);
    expect(emitted.stdout).toContain('listener gets it in its next turn, after the turn that runs now (worker).');
    writeFileSync(`${folder}/go`, '');
    expect((await run.done).code).toBe(0);
    expect(readFileSync(`${folder}/env.txt`, 'utf8')).not.toContain('RALPH_TOKEN');
    const [event] = await readEvents(folder, '--topic', 'human.note');
    expect(event).toMatchObject({ source: 'external', sender: { how: 'token' } });
    expect((await ralph(folder, ['show', '2'])).stdout).toMatch(/human\.note from external \(.*by token\)/);
    expect((await ralph(folder, ['events', '--topic', 'human.note'])).stdout).toMatch(/\(.*by token\) please check/);
  });
});

test('external_events: off lets nobody in, and terminal takes no token', async () => {
  for (const who of ['off', 'terminal']) {
    await withPlace(toFiles(`external_events: ${who}\n${TEAM}`, 'echo worked'), async (folder) => {
      await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
      const { code, stderr } = await ralph(folder, ['emit', 'human.note', 'x']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('Only a person may do this')]);
    });
  }
});

test('external_events: off is told where a run says how it is ended: a signal to its process, which does it', async () => {
  await withPlace(toFiles(`external_events: 'off'\n${TEAM}`, WAITS), async (folder) => {
    makeRepository(folder);
    const started = await ralph(folder, ['run', '-p', 'x', '--detach']);
    const [, pid] = /process (\d+)/.exec(started.stdout) ?? [];
    const stops = expect.stringMatching(new RegExp(`\\bkill ${pid}\\b`));
    const refused = await ralph(folder, ['run', '-p', 'y']);
    const status = await ralph(folder, ['status']);
    expect([started.stdout, status.stdout, refused.stderr]).toEqual([stops, stops, stops]);
    expect(started.stdout + status.stdout + refused.stderr).not.toContain('ralph stop');
    process.kill(Number(pid), 'SIGTERM');
    await until('its end', async () => (await readStatus(folder)).end?.reason === 'terminated');
  });
});

test('external_events: off is held by the run itself, also against who writes into its folder', async () => {
  const forge = `
for run in .ralph/runs/*; do
  echo '{"topic":"human.note","payload":"forged","sender":{"pid":1,"user":"root","how":"terminal"}}' >> "$run/outside.jsonl"
  printf 'now\\n{"pid":1,"user":"root","how":"terminal"}\\n' > "$run/stop"
done
sleep 1; echo worked`;
  await withPlace(toFiles(`external_events: 'off'\nisolation: 'off'\n${TEAM}`, forge), async (folder) => {
    const { stdout } = await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '2']);
    expect(stdout).toContain('an event was not taken (human.note)');
    expect(stdout).toContain('the wish to stop was not followed');
    expect(toRoutes(await readEvents(folder)).join('\n')).not.toContain('human.note');
    expect((await readStatus(folder)).end?.reason).toBe('max_iterations');
  });
});

test('a token that a person took goes on counting and is told; one that an agent wrote in does not', async () => {
  const forge = `
sed -i 's/"tokens": \\[/"tokens": [{"hash":"forged","by":null},/' .ralph/runs/*/people.json
if [ ! -e go ]; then ${WAITS}; else echo worked; fi`;
  await withPlace(toFiles(`isolation: 'off'\nsandbox: 'off'\n${TEAM}`, forge), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '3']);
    await run.says('worker');
    await until('the forged token', () => existsSync(`${folder}/working`));
    writeFileSync(`${folder}/go`, '');
    const { stdout } = await run.done;
    expect(stdout).toMatch(/people\.json/);
    const [id = ''] = readdirSync(`${folder}/.ralph/runs`);
    const people = readFileSync(`${folder}/.ralph/runs/${id}/people.json`, 'utf8');
    expect(people).not.toContain('forged');
    expect(people).toContain('hash');
  });
  await withPlace(toFiles(`isolation: 'off'\n${TEAM}`, WAITS), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '2']);
    await run.says('worker');
    const token = onTerminal(folder, ['token']).said.trim();
    writeFileSync(`${folder}/go`, '');
    expect((await run.done).stdout).toMatch(/a token of this run was given to .*by terminal/);
    expect((await ralph(folder, ['emit', 'human.note', 'x'], { RALPH_TOKEN: token })).code).toBe(0);
  });
});

test('a token that could be guessed starts no run', async () => {
  await withPlace(toFiles(TEAM, 'echo worked'), async (folder) => {
    expect(await ralph(folder, ['run', '-p', 'x', '--no-tui'], { RALPH_TOKEN: 'secret' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('RALPH_TOKEN cannot be used'),
    });
  });
});

test('a completion waits for what a person said in the last moment', async () => {
  const body = `case "$prompt" in *"WAIT"*) echo heard > heard.txt ;; *) ${WAITS} ;; esac; echo LOOP_COMPLETE`;
  await withPlace(toFiles('', body), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui']);
    await run.says('ralph');
    expect((await ralph(folder, ['emit', 'human.guidance', 'WAIT'])).code).toBe(0);
    writeFileSync(`${folder}/go`, '');
    const { code, stdout } = await run.done;
    expect([code, stdout]).toEqual([0, expect.stringContaining('declared the work complete')]);
    expect(readFileSync(`${folder}/heard.txt`, 'utf8')).toBe('heard\n');
    expect((await readStatus(folder)).totals.iterations).toBe(2);
  });
});

test('what an overfull events file holds is dropped and told, and is no event of a person', async () => {
  const body = `
if [ "$RALPH_HAT" = worker ]; then
  yes '{"topic' | head -n 9000 >> "$RALPH_EVENTS_FILE"
  head -c 17000000 /dev/zero | tr '\\0' 'x' | fold -w 1000000 >> "$RALPH_EVENTS_FILE"
  printf '\n{"topic":"human.note","payload":"forged"}\n' >> "$RALPH_EVENTS_FILE"
fi
echo worked`;
  await withPlace(toFiles(TEAM, body), async (folder) => {
    await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '2']);
    expect(toRoutes(await readEvents(folder)).join('\n')).not.toContain('human.note');
    expect((await readStatus(folder)).notices.map(({ text }) => text).join('\n')).toContain('more than one turn may publish');
  });
});

test('a try to publish that the command refused is on record', async () => {
  const body = '"$RALPH_BIN" emit ship.it now > refused.txt 2>&1; echo worked';
  await withPlace(toFiles(TEAM, body), async (folder) => {
    await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
    expect(toRoutes(await readEvents(folder))).toContain('worker -> worker.scope_violation -> refused');
    expect((await readStatus(folder)).turns[0]?.refused).toMatchObject([{ topic: 'ship.it', why: 'scope' }]);
  });
});

test('what a limit cut off is undelivered, and comes first when the run goes on', async () => {
  const body = `if [ "$RALPH_HAT" = worker ]; then ${WAITS}; else echo LOOP_COMPLETE; fi`;
  await withPlace(toFiles(TEAM, body), async (folder) => {
    const run = start(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
    await run.says('worker');
    expect((await ralph(folder, ['emit', 'human.note', 'late'])).code).toBe(0);
    writeFileSync(`${folder}/go`, '');
    expect((await run.done).code).toBe(2);
    expect(await readEvents(folder, '--topic', 'human.note')).toMatchObject([{ status: 'undelivered', payload: 'late' }]);
    expect((await ralph(folder, ['resume', '--no-tui', '--max-iterations', '+3'])).code).toBe(0);
    expect((await readStatus(folder)).turns.map(({ hat }) => hat)).toEqual(['worker', 'listener']);
    expect(await readEvents(folder, '--topic', 'human.note')).toMatchObject([{ status: 'routed' }]);
  });
});
