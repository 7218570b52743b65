/** Panels on workers: real server, real processes, agents that are scripts. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { connectFleet } from '../../src/app/index.ts';
import type { Fleet, WorkerFacts } from '../../src/ports/fleet.ts';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { workForFleet } from '../../src/worker/index.ts';
import { answer, findFiles, readAnswers, readMoves, script, vote, write } from '../e2e/panel-scripts.ts';
import { ralph, readJsonLines, start } from '../e2e/ralph.ts';
import { findRun, RUN, setUpFleet, type Worker } from './scene.ts';

const { server, env, after, makeProject, startWorker, onFleet } = setUpFleet();

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);

/** Each agent of the panel is called by the name of its program. */
const PANEL = `panel: {agents: [${['red', 'blue', 'green'].map((id) => `{id: ${id}, backend: {type: custom, command: ./${id}.sh}}`).join(', ')}]`;

const CONFIG = `cli: {backend: custom, command: ./agent.sh}
event_loop: {starting_event: build.start, completion_promise: LOOP_COMPLETE, max_iterations: 6}
gates: []
hats:
  designer: {triggers: [build.start], publishes: [build.done], ${PANEL}}}
  closer: {triggers: [build.done], publishes: [LOOP_COMPLETE]}
`;

/** Answers with a fruit of its own, and votes for the banana, which is that of blue; \`slow\` says for how long it works on each. */
const AGENT = `#!/bin/sh
own=$(basename "$0" .sh)
# Names of agents are told to none of them.
case $own in red) fruit=apple ;; blue) fruit=banana ;; *) fruit=cherry ;; esac
prompt=$(cat)
for last; do prompt="$prompt
$last"; done
if [ "$RALPH_HAT" = closer ]; then ralph emit LOOP_COMPLETE fine; exit; fi
if [ -e "$own.slow" ]; then sleep "$(cat "$own.slow")"; fi
case "$prompt" in
*"Vote for the best answer"*)
  best=$(printf '%s\\n' "$prompt" | sed -n 's/^### \\(agent[0-9]*\\) .*/\\1/;/^agent[0-9]*$/h;/^Take the banana/{x;/./p;x;}' | head -n 1)
  echo "VOTE: $best it is the best" ;;
*) echo "$fruit with $(cat mine.txt)" > made.txt; echo "Take the $fruit" ;;
esac
`;

const FILES = { 'ralph.yml': CONFIG, ...Object.fromEntries(['agent', 'red', 'blue', 'green'].map((name) => [`${name}.sh`, AGENT])) };

/** Makes files of every kind, and where gates refuse them others of them. */
const WORK = `#!/bin/sh
prompt=$(cat)
for last; do prompt="$prompt$last"; done
if [ "$RALPH_HAT" = closer ]; then ralph emit LOOP_COMPLETE fine; exit; fi
case "$prompt" in
*"Vote for the best answer"*) echo "VOTE: agent1 any" ;;
*"did not pass the gates"*)
  # What it made before is there, as it left it.
  [ -x deep/er/tool ] && [ "$(readlink link)" = deep/er/tool ] && [ ! -e gone.txt ] && [ ! -x plain.sh ] || { echo "VOTE: nobody lost"; exit; }
  rm -r deep/er; mv turned/into into.txt; rm -r turned; echo turned > turned; ln -sf kept.txt link; echo x >> kept.txt; echo ok > mended
  echo "It is mended" ;;
*) mkdir -p deep/er turned out; echo tool > deep/er/tool; chmod +x deep/er/tool; ln -s deep/er/tool link; rm gone.txt; chmod -x plain.sh
  printf 'a\\000\\377b' > binary; echo into > turned/into; echo ignored > out/made; echo secret > .env; echo "sp ace" > "a name.txt"; : > empty
  echo "It is made" ;;
esac
`;

/** A panel, and behind it two hats at the same time. */
const BESIDE = `cli: {backend: custom, command: ./agent.sh}
event_loop: {routing: fanout, parallel: true, coordinator: hats, max_iterations: 6}
gates: []
hats:
  designer: {triggers: [task.start, task.resume], publishes: [build.done], ${PANEL}}}
  writer: {triggers: [build.done], publishes: [notes.done]}
  tester: {triggers: [build.done], publishes: [test.done]}
  closer: {triggers: [notes.done, test.done], publishes: [task.complete]}
`;

const BESIDE_AGENT = `case $RALPH_HAT in
writer) sleep 4; echo noted > notes.txt; ralph emit notes.done ok; exit ;;
tester) sleep 4; cp made.txt tested.txt; ralph emit test.done ok; exit ;;
closer) ralph emit task.complete fine; exit ;;
esac
if false`;

/** Looks until both of these workers have an order that is meant, and which. A killed one of another test is in the list for a while. */
async function untilBothWork(isMeant: (name: string) => boolean): Promise<readonly string[]> {
  for (;;) {
    const workers = (await listBusy()).filter(({ id }) => ['one', 'two'].includes(id));
    const busy = workers.map((worker) => worker.busy.map(({ name }) => name).filter(isMeant));
    if (busy.length === 2 && busy.every(({ length }) => length > 0)) return busy.flat().sort();
    await pause(100);
  }
}

async function listBusy() {
  const { stdout } = await ralph(tmpdir(), ['fleet', 'workers', '--format', 'json'], env());
  return readJsonLines<{ id: string; busy: readonly { run: string; name: string }[] }>(stdout);
}

/** Which of these workers has an order of the run of a folder, as soon as one has. */
async function untilHeld(
  folder: string,
  order: string,
  among: Readonly<Record<string, Worker>>,
): Promise<Worker & { readonly name: string }> {
  for (;;) {
    for (const { id, busy } of await listBusy()) {
      const holder = among[id];
      if (holder !== undefined && busy.some(({ run, name }) => name === order && run === findRun(folder))) return { ...holder, name: id };
    }
    await pause(100);
  }
}

/** Starts workers, by their names. */
async function startWorkers(...names: readonly string[]): Promise<Readonly<Record<string, Worker>>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await startWorker(name)] as const)));
}

/** Which workers had rounds of the only panel, sorted. */
function listWorkers(folder: string): readonly string[] {
  return [...new Set(readMoves(folder).flatMap(({ kind, worker }) => (kind === 'round-started' ? [worker ?? 'nobody'] : [])))].sort();
}

/** All that is work in a folder, with rights, links, and what is in the files. */
function listAll(folder: string): string {
  const apart = ['.git', '.ralph', '.agent', 'out'].map((name) => `-path ./${name} -prune -o`).join(' ');
  const command = `find . ${apart} ! -type d -printf "%p %y %m %l\\n" -exec cat {} \\; | sort`;
  return execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'latin1' });
}

/** What runs whose command line fits this pattern of grep. */
function listProcesses(pattern: string): string {
  return execFileSync('sh', ['-c', `ps -eo args | grep "^${pattern}" || true`]).toString();
}

/** Who won, with how many votes, and what came of it: without numbers that are drawn by chance. */
async function tell(folder: string) {
  const [moves, events, shown] = [
    readMoves(folder),
    await ralph(folder, ['events', 'last', '--format', 'json']),
    await ralph(folder, ['show', 'last', '1', '--diff']),
  ];
  const payloads = readJsonLines<{ topic: string; payload?: string }>(events.stdout).map(({ topic, payload = '' }) =>
    `${topic} ${payload}`.replaceAll(/agent\d/g, 'agent'),
  );
  const panel = await ralph(folder, ['panel', 'show', '--answers']);
  return {
    answers: [...readAnswers(folder)].sort(),
    votes: moves.filter(({ kind }) => kind === 'vote-given').length,
    made: readFileSync(join(folder, 'made.txt'), 'utf8'),
    payloads,
    diff: shown.stdout
      .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'ID')
      .split('\n')
      .filter((line) => /^[+-]/.test(line)),
    panel: panel.stdout
      .split('\n')
      .filter((line) => /^\s*(?:→|Take the| {4}\w+ +\d votes?)/.test(line))
      .map((line) => line.replace(/ \(.*/, ''))
      .sort(),
    kept: findFiles(folder, /panels\/\d+\.\d+\/(?:answer\.md|votes\.json)$/).map((path) => path.slice(path.indexOf('panels/'))),
  };
}

async function runLocally(files: Readonly<Record<string, string>> = {}) {
  const folder = makeProject({ ...FILES, ...files });
  const { code, stdout, stderr } = await ralph(folder, RUN);
  expect(code, stdout + stderr).toBe(0);
  return tell(folder);
}

describe('a panel on a fleet', { timeout: 120_000 }, () => {
  test('ends as one that works here: the same answers, the same winner, its work in the folder', async () => {
    const local = await runLocally();
    expect(local.made).toBe('banana with what nobody committed\n');
    await startWorker('seat', undefined, {}, ['--labels', 'custom,panel']);
    const folder = makeProject({
      ...FILES,
      'ralph.yml': CONFIG.replace('publishes: [build.done], panel', 'publishes: [build.done], runs_on: [panel], panel'),
    });
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(await tell(folder)).toEqual(local);
  });

  test('spreads its agents over workers, which work at the same time, and ends as one that works here', async () => {
    const slow = { 'red.slow': '3', 'blue.slow': '2.5', 'green.slow': '2' };
    const local = await runLocally(slow);
    await Promise.all([startWorker('one'), startWorker('two')]);
    const folder = makeProject({ ...FILES, ...slow });
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    const atOnce = await untilBothWork((name) => name.startsWith('1.1.'));
    expect(atOnce.every((name) => /^1\.1\.[123]\.1$/.test(name))).toBe(true);
    const readStatus = async (): Promise<string> => (await ralph(folder, ['status'], env())).stdout;
    await expect.poll(readStatus).toMatch(/Agent (?:red|blue|green) (?:runs on worker (?:one|two)|waits for a worker with custom)/);
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(stdout).toMatch(/rounds of panels by worker: (?:one|two) \(\d\), (?:one|two) \(\d\)/);
    expect(await tell(folder)).toEqual(local);
    expect(listWorkers(folder)).toEqual(['one', 'two']);
  });

  test.each([
    ['killed', 'SIGKILL', 'first', 'second'],
    ['frozen', 'SIGSTOP', 'third', 'fourth'],
  ] as const)(
    'goes on where the worker of one of its agents is %s in the midst of its round: nobody else is asked again',
    async (...how) => {
      const [, signal, ...names] = how;
      const folder = makeProject({ ...FILES, 'green.slow': '4' });
      const workers = await startWorkers(...names);
      const run = start(folder, [...RUN, '--fleet', server().url], env());
      await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
      const holder = await untilHeld(folder, '1.1.3.1', workers);
      process.kill(holder.pid, signal);
      const { code, stdout, stderr } = await run.done;
      expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
      expect(stdout + stderr).toMatch(new RegExp(`green +failed: the worker ${holder.name} was lost`));
      expect([...readAnswers(folder)].sort()).toEqual(['Take the apple', 'Take the banana', 'Take the cherry']);
      const rounds = readMoves(folder).filter(({ kind, agent }) => kind === 'round-started' && agent !== 2);
      // Each of the others has answered once, and voted once.
      expect(rounds).toHaveLength(4);
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
    },
  );

  test('loses nothing where its run is killed: what was handed in stays, and whoever was at work is asked again', async () => {
    const folder = makeProject({ ...FILES, 'green.slow': '4' });
    const workers = await startWorkers('early', 'late');
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
    process.kill((await untilHeld(folder, '1.1.3.1', workers)).pid, 'SIGKILL');
    run.child.kill('SIGKILL');
    await run.done;
    const { code, stdout, stderr } = await ralph(folder, ['resume'], env());
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect(stdout + stderr).not.toContain('begins anew');
    expect([...readAnswers(folder)].sort()).toEqual(['Take the apple', 'Take the banana', 'Take the cherry']);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
  });

  test('ends the round that a killed run left on its worker, before anybody is asked again', async () => {
    const folder = makeProject({ ...FILES, 'green.slow': '331' });
    const kept = await startWorker('kept', undefined, {}, ['--slots', '3', '--stand-in', '0']);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
    await untilHeld(folder, '1.1.3.1', { kept });
    run.child.kill('SIGKILL');
    await run.done;
    expect(listProcesses('sleep 331')).not.toBe('');
    // What is not committed travels; the agent's folder where the run is has what it began with.
    for (const path of findFiles(folder, /work\/green\.slow$/)) writeFileSync(path, '0');
    const { code, stdout, stderr } = await ralph(folder, ['resume'], env());
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    await expect.poll(() => listProcesses('sleep 331'), { timeout: 5000 }).toBe('');
  });

  test('begins anew where a worker goes on with its run, spreads from there, and comes home', async () => {
    const folder = makeProject({ ...FILES, 'green.slow': '4' });
    await Promise.all([startWorker('host'), startWorker('guest')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    await expect.poll(() => readAnswers(folder).length, { timeout: 30_000 }).toBe(2);
    run.child.kill('SIGKILL');
    await run.done;
    const listEnded = async (): Promise<string> => (await ralph(tmpdir(), ['fleet', 'runs', '--format', 'json'], env())).stdout;
    const wanted = new RegExp(`"run":"${findRun(folder)}","state":"ended"`);
    await expect.poll(listEnded, { timeout: 60_000, interval: 300 }).toMatch(wanted);
    const home = await ralph(folder, ['resume'], env());
    expect([home.code, home.stdout + home.stderr]).toEqual([0, expect.stringContaining('This run has ended')]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
    expect(readMoves(folder).filter(({ kind }) => kind === 'opened')).toMatchObject([{}, { isAnew: true }]);
    expect(listWorkers(folder)).toEqual(['guest', 'host']);
    const shown = await ralph(folder, ['show', 'last', '1']);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringContaining('designer')]);
  });

  test('stops at once where a person wants it, with all of its agents on their workers', async () => {
    const folder = makeProject({ ...FILES, 'red.slow': '332', 'blue.slow': '333', 'green.slow': '334' });
    await Promise.all([startWorker('left', undefined, {}, ['--slots', '2']), startWorker('right', undefined, {}, ['--slots', '2'])]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    for (const seconds of [332, 333, 334]) await expect.poll(() => listProcesses(`sleep ${seconds}`), { timeout: 30_000 }).not.toBe('');
    run.child.kill('SIGINT');
    const from = Date.now();
    await expect.poll(() => listProcesses('sleep 33[234]'), { timeout: 10_000, interval: 50 }).toBe('');
    expect(Date.now() - from).toBeLessThan(2000);
    expect((await run.done).code).toBe(130);
    expect(readAnswers(folder)).toEqual([]);
  });

  test('uses programs that no single machine has, the native agent too, which goes on with its conversation on whatever worker', async () => {
    const model = script({
      red: [[write('red', 300), answer('Take the apple')], [vote('agent1', 300)], [vote('agent1')]],
      green: [[write('green', 1500), answer('Take the cherry')], [vote('agent1', 300)], [vote('agent1')]],
    });
    const native = '{type: native, provider: scripted, script: model.yml}';
    const agents = `{id: red, backend: ${native}}, {id: blue, backend: {type: custom, command: ./blue.sh}}, {id: green, backend: ${native}}`;
    const config = CONFIG.replace(/panel: \{agents: \[.*\]\}/, `panel: {agents: [${agents}], first_injection: mid_stream}`);
    const folder = makeProject({ ...FILES, 'ralph.yml': config, 'model.yml': model });
    await Promise.all([
      startWorker('n1', undefined, {}, ['--labels', 'native']),
      startWorker('n2', undefined, {}, ['--labels', 'native']),
      startWorker('programs'),
    ]);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/→ \w+ won with [23] of 3 votes/)]);
    expect(listWorkers(folder)).toEqual(['n1', 'n2', 'programs']);
    const moves = readMoves(folder);
    // The slower one was told of an answer between two of its steps, and could read the work behind it.
    expect(moves.some(({ kind, agent }) => kind === 'update-given' && agent === 2)).toBe(true);
    expect([...readAnswers(folder)].sort()).toEqual(['Take the apple', 'Take the banana', 'Take the cherry']);
    const sessions = findFiles(folder, /turns\/\d\.1\/session\.jsonl$/);
    expect(sessions.filter((path) => path.includes('/1.1/session'))).toHaveLength(2);
    const prompts = findFiles(folder, /panels\/1\.1\/[0-9a-f]{16}\/turns\/2\.1\/prompt\.md$/).map((path) => readFileSync(path, 'utf8'));
    // Whoever goes on with a conversation is not told the task again.
    expect(prompts.filter((text) => !text.includes('## PANEL'))).toHaveLength(2);
  });

  test('shows each agent the work of the others, and has gates judge answers where the run is', async () => {
    const mending = `*"did not pass the gates"*) echo "$fruit, mended" > made.txt; echo "Take the $fruit, mended" ;;
*"Vote for`;
    const agent = AGENT.replace('*"Vote for', mending).replace(
      'it is the best',
      'seen: $(cat .agent/node_modules/*/agent*/made.txt | sort | tr "\\n" ";")',
    );
    const files = {
      ...Object.fromEntries(['agent', 'red', 'blue', 'green'].map((name) => [`${name}.sh`, agent])),
      'ralph.yml': CONFIG.replace(
        'gates: []',
        "gates: [{name: mended, on: build.done, run: 'grep -q -e banana -e mended made.txt'}]",
      ).replace(/(panel: \{agents: \[.*\])\}/, '$1, strategy: best_of, max_answers_per_agent: 2}'),
    };
    const folder = makeProject({ ...FILES, ...files });
    await Promise.all([startWorker('up'), startWorker('down')]);
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won')]);
    expect(stdout).toContain('did not pass the gates');
    const reasons = readMoves(folder).flatMap(({ kind, reason }) => (kind === 'vote-given' ? [reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['seen: apple, mended;banana with what nobody committed;cherry, mended;']));
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
  });

  test.skipIf(SANDBOX.found === null)(
    'holds each agent on its worker as it is held here: what it sees and writes is its own folder',
    async () => {
      const homes = [mkdtempSync(join(tmpdir(), 'ralph-worker-')), mkdtempSync(join(tmpdir(), 'ralph-worker-'))] as const;
      const looker = `#!/bin/sh
prompt=$(cat)
for last; do prompt="$prompt$last"; done
for file in ${homes.flatMap((home) => ['ralph.yml', '.git', '.ralph/runs/*/settings.json'].map((name) => `${home}/*/*/${name}`)).join(' ')}; do [ ! -e "$file" ] || echo "sees $file" >> seen.txt; done
for folder in ../before ../../../*/*/work; do [ ! -d "$folder" ] || [ "$(cd "$folder" && pwd)" = "$PWD" ] || echo "sees $folder" >> seen.txt; done
echo x 2> /dev/null > ../evil.txt; echo x 2> /dev/null > ${homes[0]}/evil.txt; echo x 2> /dev/null > ${homes[1]}/evil.txt; git log > /dev/null 2>&1 && echo "sees a repository" >> seen.txt
echo "$0" > made.txt
case "$prompt" in
*"Vote for the best answer"*) cat .agent/node_modules/*/agent*/made.txt > /dev/null || echo blind >> seen.txt; echo "VOTE: agent1 $(cat seen.txt)" ;;
*) echo "$(basename "$0") says: $(cat seen.txt)" ;;
esac
`;
      const names = ['red', 'blue', 'green'].map((name) => [`${name}.sh`, looker]);
      const folder = makeProject({
        ...{ ...FILES, ...Object.fromEntries(names), 'seen.txt': '' },
        'ralph.yml': CONFIG.replace('designer: {', 'designer: {sandbox: required, '),
      });
      await Promise.all(homes.map((home, place) => startWorker(`held${place}`, home)));
      const { code, stdout, stderr } = await onFleet(folder);
      expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(' won with 3 of 3 votes')]);
      expect([...readAnswers(folder)].sort()).toEqual(['blue.sh says:', 'green.sh says:', 'red.sh says:']);
      const reasons = readMoves(folder).flatMap(({ kind, reason }) => (kind === 'vote-given' ? [reason] : []));
      expect(reasons).toEqual(['', '', '']);
      for (const home of homes)
        expect(readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('evil.txt'))).toEqual([]);
    },
  );

  test('lets an agent CLI go on with its conversation where the same worker has its next round, and tells it all elsewhere', async () => {
    const cli = `#!/bin/sh
prompt=$(cat); session=new
for last; do [ "$before" = --resume ] && session=$last; before=$last; prompt="$prompt$last"; done
case "$prompt" in *"## PANEL"*) told=all ;; *) told=news ;; esac
case "$prompt" in *"Vote for the best answer"*) text="VOTE: agent1 $session $told" ;; *) text="$(basename "$0") says it" ;; esac
echo "{\\"type\\":\\"system\\",\\"subtype\\":\\"init\\",\\"session_id\\":\\"of-$(basename "$0" .sh)\\",\\"model\\":\\"m\\",\\"tools\\":[]}"
echo "{\\"type\\":\\"assistant\\",\\"message\\":{\\"id\\":\\"m1\\",\\"role\\":\\"assistant\\",\\"content\\":[{\\"type\\":\\"text\\",\\"text\\":\\"$text\\"}]}}"
echo "{\\"type\\":\\"result\\",\\"subtype\\":\\"success\\",\\"is_error\\":false,\\"result\\":\\"$text\\",\\"session_id\\":\\"of-$(basename "$0" .sh)\\",\\"total_cost_usd\\":0.1}"
`;
    const files = {
      ...Object.fromEntries(['red', 'blue', 'green'].map((name) => [`${name}.sh`, cli])),
      'ralph.yml': CONFIG.replaceAll('type: custom', 'type: claude').replace(/(panel: \{agents: \[.*\])\}/, '$1, injection: off}'),
    };
    const folder = makeProject({ ...FILES, ...files });
    await startWorker('east', undefined, {}, ['--labels', 'claude,custom']);
    const same = await onFleet(folder);
    expect([same.code, same.stdout + same.stderr]).toEqual([0, expect.stringContaining('won with 3 of 3 votes')]);
    const listReasons = (of: string) =>
      readMoves(of).flatMap(({ kind, agent, reason }) => (kind === 'vote-given' ? [{ agent, reason }] : []));
    expect(
      listReasons(folder)
        .map(({ reason }) => reason)
        .sort(),
    ).toEqual(['of-blue news', 'of-green news', 'of-red news']);
    const other = makeProject({ ...FILES, ...files });
    await startWorker('west', undefined, {}, ['--labels', 'claude,custom']);
    expect((await onFleet(other)).code).toBe(0);
    const started = readMoves(other).filter(({ kind }) => kind === 'round-started');
    for (const { agent = -1, reason } of listReasons(other)) {
      const [first, second] = started.filter((move) => move.agent === agent).map(({ worker }) => worker);
      expect(reason).toBe(first === second ? `of-${['red', 'blue', 'green'][agent]} news` : 'new all');
    }
  });

  test('brings every kind of file home, from round to round and on whatever worker, as they are here', async () => {
    const kinds = {
      ...{ 'kept.txt': 'kept\n', 'gone.txt': 'gone\n', 'plain.sh': 'echo\n', '.gitignore': 'out/\n.env\n' },
      ...Object.fromEntries(['agent', 'red', 'blue', 'green'].map((name) => [`${name}.sh`, WORK])),
      'ralph.yml': CONFIG.replace('gates: []', 'gates: [{name: mended, on: build.done, run: test -e mended}]').replace(
        /(panel: \{agents: \[.*\])\}/,
        '$1, strategy: best_of, max_answers_per_agent: 2}',
      ),
    };
    const [local, away] = [makeProject({ ...FILES, ...kinds }), makeProject({ ...FILES, ...kinds })];
    for (const folder of [local, away]) chmodSync(join(folder, 'plain.sh'), 0o755);
    const here = await ralph(local, RUN);
    expect([here.code, here.stdout]).toEqual([0, expect.stringContaining('did not pass the gates')]);
    await Promise.all([startWorker('here'), startWorker('there')]);
    const { code, stdout, stderr } = await onFleet(away);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('did not pass the gates')]);
    expect(listAll(away)).toBe(listAll(local));
    expect(listAll(away)).toMatch(/\.\/link l 777 kept\.txt/);
  });

  test('goes as a whole to a worker of an older version, where no other is there', async () => {
    // A killed one of another test is in the list for a while, and no older one.
    const config = CONFIG.replace('publishes: [build.done], panel', 'publishes: [build.done], runs_on: [vintage], panel');
    const folder = makeProject({ ...FILES, 'ralph.yml': config });
    const stop = new AbortController();
    const fleet = await connectFleet({ url: server().url, env: {}, name: 'old' });
    const asOld = <Worker extends WorkerFacts>(worker: Worker): Worker => ({ ...worker, protocol: 4 });
    const old: Fleet = {
      ...fleet,
      queue: { ...fleet.queue, claim: (worker, ...more) => fleet.queue.claim(asOld(worker), ...more) },
      workers: { ...fleet.workers, tell: (worker) => fleet.workers.tell(asOld(worker)) },
    };
    const home = mkdtempSync(join(tmpdir(), 'ralph-worker-'));
    const place = { home, siblings: null, id: 'old', labels: ['custom', 'vintage'], slots: 1, standsInFor: 0 };
    const worker = workForFleet(
      { fleet: old, ...place, env: { ...process.env, ...env() }, tell: () => undefined },
      stop.signal,
      stop.signal,
    );
    after(async () => {
      stop.abort();
      await worker;
      await fleet.close();
      rmSync(home, { recursive: true, force: true, maxRetries: 3 });
    });
    await expect.poll(async () => (await listBusy()).map(({ id }) => id), { timeout: 10_000 }).toContain('old');
    const { code, stdout, stderr } = await onFleet(folder);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    expect([listWorkers(folder), stdout]).toEqual([['nobody'], expect.stringContaining('turns by worker: old (2)')]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('banana with what nobody committed\n');
  });

  test('stands before hats that work at the same time, which spread over the workers with what it made', async () => {
    const folder = makeProject({
      ...FILES,
      'ralph.yml': BESIDE,
      'agent.sh': AGENT.replace('if [ "$RALPH_HAT" = closer ]', BESIDE_AGENT),
    });
    const workers = await Promise.all([startWorker('one'), startWorker('two')]);
    const run = start(folder, [...RUN, '--fleet', server().url], env());
    expect(await untilBothWork((name) => !name.startsWith('1.1'))).toEqual(['2.1', '3.1']);
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('→ blue won with 3 of 3 votes')]);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    const made = 'banana with what nobody committed\n';
    expect([read('made.txt'), read('tested.txt'), read('notes.txt')]).toEqual([made, made, 'noted\n']);
    for (const worker of workers) expect((await worker.end()).stderr).toMatch(/Iteration [23] \((?:tester|writer)\)/);
  });
});
