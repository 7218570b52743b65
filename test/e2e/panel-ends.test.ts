/** What decides a panel beside votes: gates, Ralph, a synthesizer, a conflict. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { answer, findFiles, readMoves, script, vote, write } from './panel-scripts.ts';
import { ralph, start, withFolder } from './ralph.ts';

const config = (panel: string, more: string, publishes = 'task.complete'): string => `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write add.mjs, max_iterations: 3}
${more}
hats:
  builder:
    profile: creator
    triggers: [task.start, task.resume]
    publishes: [${publishes}]
    panel: {${panel}}
`;

const THREE = 'agents: [{id: anna}, {id: benjamin}, {id: carl}], injection: off';
/** Fails where the file does not say `right`, and says in which folder it looked. */
const GATE = `gates: [{run: 'pwd; grep -q right add.mjs', name: is it right, on: [task.complete]}]`;

test('gates judge each answer in a copy of the folder: what fails is mended, and the only answer that passes wins without a vote', async () => {
  const model = script({
    anna: [[write('wrong'), answer('It is anna who is wrong.')], [answer('Still wrong, and I say so.')]],
    benjamin: [
      [write('wrong'), answer('Wrong at first.')],
      [write('right'), answer('Now it is mended, and right.')],
    ],
    carl: [[answer('I did nothing.')], [answer('Once more nothing, in other words.')]],
  });
  const panel = `${THREE}, strategy: best_of, max_answers_per_agent: 2, novelty: off`;
  await withFolder({ 'ralph.yml': config(panel, GATE), 'model.yml': model }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('won as the only one that passed the gates')]);
    expect(readFileSync(join(folder, 'add.mjs'), 'utf8')).toBe('right');
    const moves = readMoves(folder);
    expect(moves.filter(({ kind }) => kind === 'vote-given')).toEqual([]);
    const judged = moves.filter(({ kind }) => kind === 'answer-checked');
    expect(judged.map(({ isPassed }) => isPassed).toSorted()).toEqual([false, false, false, false, false, true]);
    // Each heard what its own gate said, and not where it was run.
    expect(judged.find(({ isPassed }) => isPassed === false)?.text).toMatch(/^is it right failed \(exit code [12]\):\n\.$/m);
    const prompts = findFiles(folder, /turns\/2\.1\/prompt\.md$/).map((path) => readFileSync(path, 'utf8'));
    expect(prompts).toHaveLength(3);
    for (const prompt of prompts) expect(prompt).toContain('What you handed in did not pass the gates.');
    expect(findFiles(folder, /\/judged(\/|$)/)).toEqual([]);
  });
});

test('of answers that all fail one wins by votes, and the gate refuses its event as that of any hat', async () => {
  const model = script({
    anna: [[answer('One.')], [vote('agent1')]],
    benjamin: [[answer('Two.')], [vote('agent1')]],
    carl: [[answer('Three.')], [vote('agent1')]],
  });
  await withFolder({ 'ralph.yml': config(`${THREE}, strategy: best_of`, GATE), 'model.yml': model }, async (folder) => {
    const { code } = await ralph(folder, ['run', '--no-tui', '--max-iterations', '1']);
    expect(code).not.toBe(0);
    const moves = readMoves(folder);
    expect(moves.filter(({ kind }) => kind === 'answer-checked').map(({ isPassed }) => isPassed)).toEqual([false, false, false]);
    expect(moves.filter(({ kind }) => kind === 'vote-given')).toHaveLength(3);
  });
});

test('Ralph chooses where votes tie, and only among those that tie', async () => {
  const model = script({
    anna: [[answer('One.')], [vote('agent1')], [vote('agent1')], [vote('agent1')], [vote('agent1')]],
    benjamin: [[answer('Two.')], [vote('agent2')], [vote('agent2')], [vote('agent2')], [vote('agent2')]],
    ralph: [[vote('agent2')], [vote('agent1')]],
  });
  // Ralph has a number as well, so one of the two may be the third.
  const panel = 'agents: [{id: anna}, {id: benjamin}], injection: off, tie: ralph';
  await withFolder({ 'ralph.yml': config(panel, 'gates: []'), 'model.yml': model }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/won/)]);
    const numbers = readMoves(folder).find(({ kind }) => kind === 'opened')?.numbers ?? [];
    expect(numbers.toSorted()).toEqual([1, 2, 3]);
    if (numbers[2] === 3) expect(stdout + stderr).toContain('(a tie; Ralph chose it)');
  });
});

test('a synthesizer only writes one answer from all, and its work counts', async () => {
  const model = script({
    anna: [[write('a'), answer('One.')], [vote('agent1')]],
    benjamin: [[write('b'), answer('Two.')], [vote('agent1')]],
    editor: [[write('of both'), answer('Both in one.')]],
  });
  const panel = 'agents: [{id: editor}, {id: anna}, {id: benjamin}], injection: off, strategy: synthesize, tie: first, synthesizer: editor';
  await withFolder({ 'ralph.yml': config(panel, 'gates: []'), 'model.yml': model }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('editor wrote one answer from all')]);
    expect(readFileSync(join(folder, 'add.mjs'), 'utf8')).toBe('of both');
    expect(
      readMoves(folder)
        .flatMap(({ kind, content }) => (kind === 'answer-given' ? [content] : []))
        .at(-1),
    ).toBe('Both in one.');
  });
});

test('work on what a person has changed meanwhile goes to the hat for conflicts, with where it is kept, and nothing is taken over', async () => {
  const model = script({
    anna: [[write('a'), answer('One.')], [vote('agent1', 1500)]],
    benjamin: [[write('a'), answer('Two.')], [vote('agent1')]],
    carl: [[write('a'), answer('Three.')], [vote('agent1')]],
  });
  const joiner = `  joiner:
    backend: {type: custom, command: sh, args: [-c, 'cat > got.txt; ralph emit task.complete done'], prompt_mode: stdin}
    triggers: [join]
    publishes: [task.complete]
`;
  const files = {
    'ralph.yml': config(`${THREE}, conflicts: joiner`, 'gates: []', 'task.complete') + joiner,
    'model.yml': model,
  };
  await withFolder(files, async (folder) => {
    const run = start(folder, ['run', '--no-tui']);
    await vi.waitFor(() => expect(readMoves(folder).some(({ kind }) => kind === 'vote-given')).toBe(true), { timeout: 20_000 });
    writeFileSync(join(folder, 'add.mjs'), 'by a person');
    const { code, stdout, stderr } = await run.done;
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('add.mjs changed in the folder meanwhile')]);
    expect(readFileSync(join(folder, 'add.mjs'), 'utf8')).toBe('by a person');
    const got = readFileSync(join(folder, 'got.txt'), 'utf8');
    const work = /"work": ?"([^"]+)"/.exec(got.replaceAll('\\"', '"'))?.[1] ?? '';
    expect(got).toMatch(/panel\.conflict/);
    expect(readFileSync(join(folder, work, 'add.mjs'), 'utf8')).toBe('a');
    expect(stdout + stderr).not.toMatch(/scope_violation/);
  });
});

test('whoever kills Ralph while gates judge has them judge again, and every answer is judged once', async () => {
  const model = script({
    anna: [[write('right'), answer('One.')], [vote('agent1')]],
    benjamin: [[write('right'), answer('Two.')], [vote('agent1')]],
    carl: [[answer('Three.')], [vote('agent1')]],
  });
  const slow = `gates: [{run: 'echo begun >> "$BEGUN"; sleep 2; grep -q right add.mjs', on: [task.complete]}]`;
  await withFolder({ 'ralph.yml': config(`${THREE}, strategy: best_of`, slow), 'model.yml': model }, async (folder) => {
    const env = { BEGUN: join(folder, 'begun.txt') };
    const run = start(folder, ['run', '--no-tui'], env);
    await vi.waitFor(() => expect(existsSync(env.BEGUN)).toBe(true), { timeout: 20_000 });
    run.child.kill('SIGKILL');
    await run.done;
    const { code, stdout, stderr } = await ralph(folder, ['resume', '--no-tui'], env);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('passed the gates')]);
    const moves = readMoves(folder);
    expect(moves.filter(({ kind }) => kind === 'answer-given')).toHaveLength(3);
    expect(
      moves
        .filter(({ kind }) => kind === 'answer-checked')
        .map(({ agent }) => agent)
        .toSorted(),
    ).toEqual([0, 1, 2]);
    expect(readFileSync(join(folder, 'add.mjs'), 'utf8')).toBe('right');
  });
});

test('an agent that is not ready within its round and the grace has failed, and does not hold up the others', async () => {
  const never = [write('late', 60_000), answer('Never.')];
  const model = script({
    anna: [[write('a'), answer('One.')], [vote('agent1')]],
    benjamin: [[write('b'), answer('Two.')], [vote('agent1')]],
    carl: [never, never, never, never],
  });
  const panel = `${THREE}, round_timeout: 3s, grace: 300ms`;
  await withFolder({ 'ralph.yml': config(panel, 'gates: []'), 'model.yml': model }, async (folder) => {
    const { stdout, stderr } = await ralph(folder, ['run', '--no-tui', '--max-iterations', '1']);
    expect(stdout + stderr).toContain('failed, and is asked no more: it handed in nothing within 3.0 s');
    const moves = readMoves(folder);
    expect(moves.filter(({ kind, agent, outcome }) => kind === 'round-ended' && agent === 2 && outcome === 'failed')).toHaveLength(3);
    expect(moves.flatMap(({ kind, agent }) => (kind === 'answer-given' ? [agent] : [])).toSorted()).toEqual([0, 1]);
  });
});

test('an answer that is not what the schema of its topic asks for changes nothing in the folder', async () => {
  const model = script({
    anna: [[write('a'), answer('One.')], [vote('agent1')]],
    benjamin: [[write('b'), answer('Two.')], [vote('agent1')]],
    carl: [[write('c'), answer('Three.')], [vote('agent1')]],
  });
  const events = 'gates: []\nevents:\n  build.done: {schema: {type: object, required: [files]}}';
  const text = `${config(THREE, events, 'build.done')}  closer: {backend: {type: custom, command: "true"}, triggers: [build.done], publishes: [task.complete]}\n`;
  await withFolder({ 'ralph.yml': text, 'model.yml': model }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui', '--max-iterations', '1']);
    expect([code === 0, stdout + stderr]).toEqual([
      false,
      expect.stringContaining('The payload of build.done is not what its schema asks for'),
    ]);
    expect(existsSync(join(folder, 'add.mjs'))).toBe(false);
  });
});
