/** Panels as a user has them: `ralph run` with agents whose models are scripts, and with a program as an agent. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { answer, findFiles, readAnswers, readMoves, script, vote, write } from './panel-scripts.ts';
import { ralph, start, withFolder } from './ralph.ts';

const AGENTS = '[{id: anna}, {id: benjamin}, {id: carl}]';

function config(panel: string, agents = AGENTS): string {
  return `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write add.mjs, max_iterations: 3}
gates: []
hats:
  builder:
    profile: creator
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    panel: {agents: ${agents}${panel}}
`;
}

const ANNA = 'export const add = (a, b) => a + b;\n';
const BENJAMIN = 'export function add(a, b) { return a - -b; }\n';

/** Votes of all for whoever has this place. */
async function runElected(folder: string, args: readonly string[] = ['run', '--no-tui']) {
  const run = await ralph(folder, args);
  return { ...run, output: run.stdout + run.stderr };
}

test('three agents answer and vote: the work of the winner is in the folder, uncommitted, and the hat publishes its answer', async () => {
  const model = script({
    anna: [[write(ANNA), answer('add.mjs adds, in one line.')], [vote('agent1')]],
    benjamin: [[write(BENJAMIN), answer('add.mjs adds, in another way.')], [vote('agent1')]],
    carl: [[answer('There is nothing to do.')], [vote('agent1')]],
  });
  await withFolder({ 'ralph.yml': config(', injection: off'), 'model.yml': model, 'old.txt': 'stays\n' }, async (folder) => {
    const { code, output } = await runElected(folder);
    expect([code, output]).toEqual([0, expect.stringContaining(' won with 3 of 3 votes')]);
    const moves = readMoves(folder);
    const numbers = moves.find(({ kind }) => kind === 'opened')?.numbers ?? [];
    const winner = numbers.indexOf(1);
    const wanted = [ANNA, BENJAMIN, undefined][winner];
    expect(existsSync(join(folder, 'add.mjs')) ? readFileSync(join(folder, 'add.mjs'), 'utf8') : undefined).toBe(wanted);
    expect(readFileSync(join(folder, 'old.txt'), 'utf8')).toBe('stays\n');
    expect(
      readdirSync(folder)
        .filter((name) => name !== '.agent')
        .toSorted(),
    ).toEqual(['.ralph', ...(wanted === undefined ? [] : ['add.mjs']), 'model.yml', 'old.txt', 'ralph.yml'].toSorted());
    const events = await ralph(folder, ['events', '--format', 'json']);
    const text = ['add.mjs adds, in one line.', 'add.mjs adds, in another way.', 'There is nothing to do.'][winner];
    expect(events.stdout).toContain(JSON.stringify({ answer: text }).slice(1, -1));
    const [kept = ''] = findFiles(folder, /panels\/1\.1\/answer\.md$/);
    expect(readFileSync(kept, 'utf8')).toBe(`${text}\n`);
  });
});

test('an agent at work is told of an answer once, by number, with the work behind it to read, and nobody is told a name', async () => {
  const model = script({
    anna: [[write(ANNA), answer('anna wrote it into add.mjs.')], [vote('agent2')]],
    benjamin: [[write(BENJAMIN, 1500), answer('Another way.', 200)], [vote('agent2')]],
    carl: [[write('x', 1500), answer('A third.', 200)], [vote('agent2')]],
  });
  await withFolder({ 'ralph.yml': config(', first_injection: mid_stream'), 'model.yml': model }, async (folder) => {
    expect((await runElected(folder)).code).toBe(0);
    const moves = readMoves(folder);
    const number = moves.find(({ kind }) => kind === 'opened')?.numbers?.[0];
    expect(
      moves
        .filter(({ kind }) => kind === 'update-given')
        .map(({ agent }) => agent)
        .toSorted(),
    ).toEqual([1, 2]);
    const sessions = findFiles(folder, /turns\/1\.1\/session\.jsonl$/).map((path) => readFileSync(path, 'utf8'));
    const told = sessions.filter((text) => text.includes(`[UPDATE: agent${number} handed in an answer.`));
    expect(told).toHaveLength(2);
    for (const text of told) {
      expect(text.split('[UPDATE').length - 1).toBe(1);
      expect(text).toContain(`agent${number} wrote it into add.mjs.`);
      expect(text).not.toMatch(/anna/);
      expect(text).toMatch(new RegExp(`to read: \`\\.agent/node_modules/[0-9a-f]{16}/agent${number}\``));
    }
  });
});

test('an agent that has not heard of any answer begins again with it, and only votes once all have answered', async () => {
  const model = script({
    anna: [[answer('First.')], [vote('agent1')]],
    benjamin: [[write(BENJAMIN, 1200), answer('never handed in')], [answer('Second, knowing the first.')], [vote('agent1')]],
    carl: [[answer('Third.', 100)], [vote('agent1')], [vote('agent1')]],
  });
  await withFolder({ 'ralph.yml': config(''), 'model.yml': model }, async (folder) => {
    expect((await runElected(folder)).code).toBe(0);
    const answers = readMoves(folder).filter(({ kind }) => kind === 'answer-given');
    expect(answers.map(({ content }) => content)).toContain('Second, knowing the first.');
    expect(answers.map(({ content }) => content)).not.toContain('never handed in');
  });
});

test.each([[1], [2]])(
  'whoever kills Ralph in the midst of a panel (%i times), no answer is lost and no agent does it twice',
  async (kills) => {
    const model = script({
      anna: [[write(ANNA), answer('A')], [vote('agent1', 900)], [vote('agent1')], [vote('agent1')]],
      benjamin: [[write(BENJAMIN), answer('B', 1500)], [vote('agent1')], [vote('agent1')], [vote('agent1')]],
      carl: [[answer('C')], [vote('agent1', 900)], [vote('agent1')], [vote('agent1')]],
    });
    await withFolder({ 'ralph.yml': config(', injection: off'), 'model.yml': model }, async (folder) => {
      for (let kill = 0; kill < kills; kill += 1) {
        const running = start(folder, [kill === 0 ? 'run' : 'resume', '--no-tui', '-q']);
        await vi.waitFor(() => expect(readAnswers(folder)).toEqual(expect.arrayContaining(['A', 'C'])), { timeout: 20_000 });
        await new Promise((resolve) => setTimeout(resolve, 400));
        running.child.kill('SIGKILL');
        await running.done;
      }
      const { code, output } = await runElected(folder, ['resume', '--no-tui']);
      expect([code, output]).toEqual([0, expect.stringContaining(' won with 3 of 3 votes')]);
      expect(readAnswers(folder).toSorted()).toEqual(['A', 'B', 'C']);
    });
  },
);

test('a program answers and votes with its last words', async () => {
  const agent = `#!/bin/sh
for prompt; do :; done
case "$prompt" in
*"Vote for the best answer"*) echo "I looked at them."; echo "VOTE: agent3 for it is short";;
*) mkdir -p sub && cd sub && cd .. && echo "made by $PWD" > "$PWD/made.txt"; echo "See made.txt in $PWD. $(od -An -N4 -tx4 /dev/urandom)";;
esac
`;
  const agents = '[{id: one}, {id: two}, {id: three}]';
  const yaml = config(', injection: off', agents)
    .replace('{type: native, provider: scripted, script: model.yml}', '{type: custom, command: ./agent.sh}')
    .replace('    profile: creator\n', '');
  await withFolder({ 'ralph.yml': yaml, 'agent.sh': agent }, async (folder) => {
    const { code, output } = await runElected(folder);
    expect([code, output]).toEqual([0, expect.stringContaining(' won with 3 of 3 votes')]);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toMatch(/^made by .*\/panels\/1\.1\/[0-9a-f]{16}\/work\n$/);
    const [kept = ''] = findFiles(folder, /panels\/1\.1\/answer\.md$/);
    expect(readFileSync(kept, 'utf8')).toMatch(new RegExp(`^See made\\.txt in ${folder}\\. `));
  });
});

test('a panel without any answer fails its turn, and the run does not end well', async () => {
  const model = script({ anna: [[]], benjamin: [[]], carl: [[]] }).replaceAll(
    '    - steps:\n',
    '    - steps: [{fail: {class: auth, message: no key}}]\n',
  );
  await withFolder({ 'ralph.yml': config(''), 'model.yml': model }, async (folder) => {
    const { code, output } = await runElected(folder);
    expect(code).not.toBe(0);
    expect(output).toContain('no agent of the panel has handed in an answer');
  });
});

test('Ctrl+C ends all agents of a panel, and the run goes on', async () => {
  const slow = [write(ANNA, 60_000)];
  const model = script({
    anna: [[answer('A')], [vote('agent1')]],
    benjamin: [slow, [answer('B')], [vote('agent1')]],
    carl: [slow, [answer('C')], [vote('agent1')]],
  });
  await withFolder({ 'ralph.yml': config(', injection: off'), 'model.yml': model }, async (folder) => {
    const running = start(folder, ['run', '--no-tui']);
    const countAnswers = (): number => readMoves(folder).filter(({ kind }) => kind === 'answer-given').length;
    await expect.poll(countAnswers).toBe(1);
    running.child.kill('SIGINT');
    expect((await running.done).code).not.toBe(0);
    expect(countAnswers()).toBe(1);
  });
});

test('what the winner makes of all answers counts with its work', async () => {
  const both = (content: string): readonly string[] => [write(content), answer(content)];
  const model = script({
    anna: [both(ANNA), [vote('agent1')], [write('of all\n'), answer('This is of all.')]],
    benjamin: [both(BENJAMIN), [vote('agent1')], [write('of all\n'), answer('This is of all.')]],
    carl: [both('export const add = Math.sum;\n'), [vote('agent1')], [write('of all\n'), answer('This is of all.')]],
  });
  // Who won has read nothing in this conversation yet that another could have changed.
  await withFolder({ 'ralph.yml': config(', injection: off, strategy: synthesize'), 'model.yml': model }, async (folder) => {
    const { code, output } = await runElected(folder);
    expect([code, output]).toEqual([0, expect.stringContaining('wrote one answer from all')]);
    expect(readFileSync(join(folder, 'add.mjs'), 'utf8')).toBe('of all\n');
    const [kept = ''] = findFiles(folder, /panels\/1\.1\/answer\.md$/);
    expect(readFileSync(kept, 'utf8')).toBe('This is of all.\n');
  });
});

test('no agent of a panel is shown a secret that another hands in, or its own number, or an answer before it has given its own', async () => {
  const agent = `#!/bin/sh
for prompt; do :; done
env > env.txt
case "$prompt" in
*"Vote for the best answer"*) echo "VOTE: agent1 for it is short";;
*) echo "The key is $MY_API_KEY, $(od -An -N4 -tx4 /dev/urandom)";;
esac
`;
  const yaml = config(', injection: off, max_parallel: 1', '[{id: one}, {id: two}, {id: three}]')
    .replace('{type: native, provider: scripted, script: model.yml}', '{type: custom, command: ./agent.sh}')
    .replace('    profile: creator\n', '');
  await withFolder({ 'ralph.yml': yaml, 'agent.sh': agent }, async (folder) => {
    const run = await ralph(folder, ['run', '--no-tui'], { MY_API_KEY: 'sk-0123456789abcdef' });
    expect(run.code).toBe(0);
    const prompts = findFiles(folder, /prompt\.md$/).map((path) => readFileSync(path, 'utf8'));
    expect(prompts.join()).toContain('The key is [redacted');
    expect(prompts.join()).not.toContain('sk-0123456789abcdef');
    const firsts = findFiles(folder, /panels\/1\.1\/[0-9a-f]{16}\/turns\/1\.1\/prompt\.md$/).map((path) => readFileSync(path, 'utf8'));
    expect(firsts).toHaveLength(3);
    for (const text of firsts) expect(text).not.toContain('## ANSWERS');
    expect(readFileSync(join(folder, 'env.txt'), 'utf8')).not.toMatch(/agent[1-3]/);
  });
});
