import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { withPlace } from './processes.ts';
import { RALPH, ralph, start } from './ralph.ts';
import { readEvents, readStatus, toRoutes } from './run-facts.ts';

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

test('a process that an agent cut loose is no person, whatever it forgot of its turn', async () => {
  const emit = `${process.execPath} ${RALPH} emit human.note forged`;
  const body = `
env -i PATH=/usr/bin:/bin setsid -f bash -c 'sleep 0.3; cd "'"$PWD"'"; ${emit} > forged.txt 2>&1; echo $? > forged-code.txt; ${process.execPath} ${RALPH} stop > stop.txt 2>&1; ${process.execPath} ${RALPH} token > token.txt 2>&1; touch tried'
i=0; while [ ! -e tried ] && [ $i -lt 200 ]; do sleep 0.05; i=$((i+1)); done
echo worked`;
  await withPlace(toFiles(TEAM, body), async (folder) => {
    await ralph(folder, ['run', '-p', 'x', '--no-tui', '--max-iterations', '1']);
    const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
    expect([read('forged-code.txt'), read('forged.txt')]).toEqual(['1\n', expect.stringContaining('Only a person may do this')]);
    expect([read('stop.txt'), read('token.txt')]).toEqual([
      expect.stringContaining('Only a person'),
      expect.stringContaining('Only a person'),
    ]);
    expect(toRoutes(await readEvents(folder)).join('\n')).not.toContain('human.note');
    expect((await readStatus(folder)).end?.reason).toBe('max_iterations');
  });
});

test('the token of a run is in no environment of an agent, and who brings it is on record', async () => {
  const body = `env > env.txt; if [ "$RALPH_HAT" = worker ]; then ${WAITS}; else echo LOOP_COMPLETE; fi`;
  await withPlace(toFiles(TEAM, body), async (folder) => {
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
