/** Agents of a panel that are programs: they hand in by a command, and hear what became of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { makeRepository } from './git.ts';
import { findFiles, readAnswers, readMoves } from './panel-scripts.ts';
import { ralph, start, withFolder } from './ralph.ts';

function config(panel = '', agents = '[{id: anna}, {id: benjamin}]', publishes = '[task.complete]'): string {
  return `
cli: {backend: {type: custom, command: ./agent.sh}}
event_loop: {prompt: Write add.mjs, max_iterations: 3}
gates: []
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: ${publishes}
    panel: {agents: ${agents}, injection: off${panel}}
`;
}

/** What the agents printed, whoever they are, in no particular order. */
const readOutputs = (folder: string): string =>
  findFiles(folder, /turns\/\d+\.1\/stdout\.log$/)
    .map((path) => readFileSync(path, 'utf8'))
    .join('\n');

/** The end of the prompt says what is asked for; an answer is the agent's own by chance. */
const agent = (answer: string, vote: string): string => `#!/bin/sh
for prompt; do :; done
own=$(od -An -N4 -tx4 /dev/urandom | tr -d ' ')
case "$prompt" in
*"Vote for the best answer"*) ${vote} ;;
*) ${answer} ;;
esac
`;

test('a program answers and votes by a command, is told what became of it, and its last words count no more', async () => {
  const script = agent(
    `ralph panel vote agent1 "too soon" 2>&1; echo "exit $?"
     ralph panel answer "" 2>&1; echo "exit $?"
     echo "made by $own" > made.txt
     ralph panel answer "I made made.txt, says $own."; echo "exit $?"; echo "These are my last words."`,
    `ralph panel answer "once more" 2>&1; echo "exit $?"
     ralph panel vote benjamin "it is his" 2>&1; echo "exit $?"
     ralph panel vote agent2 it is short; echo "exit $?"; echo "VOTE: agent1 with my last words"`,
  );
  await withFolder({ 'ralph.yml': config(), 'agent.sh': script }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(' won with 2 of 2 votes')]);
    expect(readAnswers(folder).filter((content) => content?.startsWith('I made made.txt, says '))).toHaveLength(2);
    expect(readAnswers(folder).toSorted().slice(0, 2)).toEqual(['', '']);
    expect(readAnswers(folder)).not.toContain('These are my last words.');
    const votes = readMoves(folder).filter(({ kind }) => kind === 'vote-given');
    expect(votes.map(({ target }) => target).toSorted()).toEqual(['agent1', 'agent1', 'agent2', 'agent2', 'benjamin', 'benjamin']);
    const said = readOutputs(folder);
    expect(said).toContain('Not taken: There is no answer to vote for yet: hand in your own.\nexit 1');
    expect(said).toContain('Not taken: The answer is empty: nothing was taken. Hand in what you found or made.\nexit 1');
    expect(said).toContain('Your answer is in. End your turn now.\nexit 0');
    expect(said).toContain('Not taken: You can only vote now, for one of: agent1, agent2.\nexit 1');
    expect(said).toContain('Not taken: That names no answer. There are: agent1, agent2.\nexit 1');
    expect(said).toContain('Your vote for agent2 is in. End your turn now.\nexit 0');
    expect(said).not.toMatch(/anna/);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toMatch(/^made by /);
  });
});

test('an answer comes from a file or from standard input, names its topic, and is refused where it is too long or names none', async () => {
  const script = agent(
    `ralph panel answer "no topic, $own" 2>&1; echo "exit $?"
     head -c 100001 /dev/zero | tr '\\0' x | ralph panel answer - --topic plan.ready 2>&1; echo "exit $?"
     ralph panel answer --file not-there.md --topic plan.ready 2>&1; echo "exit $?"
     ralph panel answer 2>&1; echo "exit $?"
     echo "from a file, $own" > .agent/answer.md
     ralph panel answer --file .agent/answer.md --topic plan.ready --format json; echo "exit $?"`,
    `ralph panel vote agent1 "it is good" --format json`,
  );
  const yaml = `${config('', undefined, '[plan.ready, plan.failed]')}  reader: {triggers: [plan.ready, plan.failed], publishes: [task.complete], backend: {type: custom, command: ./reader.sh}}\n`;
  const reader = '#!/bin/sh\nralph emit task.complete read\n';
  await withFolder({ 'ralph.yml': yaml, 'agent.sh': script, 'reader.sh': reader }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(' won with 2 of 2 votes')]);
    const said = readOutputs(folder);
    expect(said).toContain(
      'Not taken: Name what the answer publishes (such as `--topic plan.ready`), one of: plan.ready, plan.failed.\nexit 1',
    );
    expect(said).toContain('Not taken: The answer has 100001 characters, and 100000 are taken');
    expect(said).toMatch(/not-there\.md cannot be read \(ENOENT\)[\s\S]*?exit 2/);
    expect(said).toMatch(/The answer is missing\.[\s\S]*?exit 2/);
    expect(said).toContain('{"v":1,"accepted":true,"text":"Your answer is in. End your turn now."}\nexit 0');
    expect(readAnswers(folder)).toEqual([expect.stringMatching(/^from a file, /), expect.stringMatching(/^from a file, /)]);
    expect((await ralph(folder, ['events', '--format', 'json'])).stdout).toContain('plan.ready');
  });
});

test('outside of a round nothing can be handed in, and in a round nobody answers as a person', async () => {
  const script = agent(
    `ralph answer yes 2>&1; echo "exit $?"; ralph emit task.complete "by the way" 2>&1; echo "exit $?" ralph panel answer "mine, $own"`,
    'ralph panel vote agent1 "it is good"',
  );
  await withFolder({ 'ralph.yml': config(), 'agent.sh': script }, async (folder) => {
    const outside = await ralph(folder, ['panel', 'answer', 'mine']);
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('this is no round of a panel')]);
    expect((await ralph(folder, ['panel', 'vote', 'agent1'])).code).toBe(2);
    expect((await ralph(folder, ['run', '--no-tui'])).code).toBe(0);
    const said = readOutputs(folder);
    expect(said).not.toMatch(/exit 0/);
    expect(said.match(/Only a person may do this; nothing was done/g)).toHaveLength(2);
    expect(said.match(/Nothing was published: agents of a panel publish no events/g)).toHaveLength(2);
    expect(readAnswers(folder)).toHaveLength(2);
  });
});

test('in a round no command shows the run, which says who is who', async () => {
  const looks = [
    ...['panel show', 'panel show --format json', 'show', 'status', 'status --format json', 'events', 'review', 'events --format json'],
    'graph --live',
  ];
  const script = agent(
    'ralph panel answer "mine, $own"',
    `${looks.map((look) => `ralph ${look} 2>&1; echo "exit $?"`).join('; ')}; ralph runs; ralph panel vote agent1 "it is good"`,
  );
  await withFolder({ 'ralph.yml': config(), 'agent.sh': script }, async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui'])).code).toBe(0);
    const said = readOutputs(folder);
    expect(said.match(/not shown the run that it works for/g)).toHaveLength(2 * looks.length);
    expect(said).not.toMatch(/exit 0|anna|benjamin|damaged/);
    expect((await ralph(folder, ['panel', 'show'])).stdout).toContain('benjamin');
  });
});

test('whoever kills Ralph while programs hand in loses nothing that was accepted, and takes nothing twice', async () => {
  // Each notes beside the run what it was told, and then goes on for long.
  const script = agent(
    `said=$(ralph panel answer "A $own" 2>&1) && echo "$own" >> "$NOTES"; sleep 60`,
    'ralph panel vote agent1 "it is good"',
  );
  await withFolder({ 'ralph.yml': config(), 'agent.sh': script, notes: '' }, async (folder) => {
    const env = { NOTES: join(folder, 'notes') };
    const accepted = (): readonly string[] => readFileSync(env.NOTES, 'utf8').split('\n').filter(Boolean);
    const running = start(folder, ['run', '--no-tui', '-q'], env);
    await vi.waitFor(() => expect(accepted()).toHaveLength(2), { timeout: 20_000 });
    running.child.kill('SIGKILL');
    await running.done;
    const { code, stdout, stderr } = await ralph(folder, ['resume', '--no-tui'], env);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining(' won with 2 of 2 votes')]);
    expect(accepted()).toHaveLength(2);
    expect(readAnswers(folder).toSorted()).toEqual(
      accepted()
        .map((own) => `A ${own}`)
        .toSorted(),
    );
  });
});

test('a last message that is too long for an answer counts by its beginning, which says so, and is kept whole', async () => {
  const script = agent(`head -c 120000 /dev/zero | tr '\\0' x; echo " $own"`, 'echo "VOTE: agent1 it is long"');
  await withFolder({ 'ralph.yml': config(), 'agent.sh': script }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect([code, stdout + stderr]).toEqual([0, expect.stringMatching(/The last message of anna has 120,\d{3} characters/)]);
    for (const content of readAnswers(folder))
      expect(content).toMatch(/^x{90000,}\n\[… the rest of this answer was too long, and is left out\]$/);
    const [whole = ''] = findFiles(folder, /turns\/1\.1\/answer\.md$/);
    expect(readFileSync(whole, 'utf8')).toHaveLength(120_009);
  });
});

test('git finds no repository in the folder of an agent, also where the run is in one', async () => {
  const body = agent(
    'git rev-parse --git-dir > git.txt 2>&1 && echo found || echo none; echo x > made.txt; ralph panel answer "I looked, $own"',
    'ralph panel vote agent1 good',
  );
  await withFolder({ 'ralph.yml': config(), 'agent.sh': body }, async (folder) => {
    makeRepository(folder);
    const { code } = await ralph(folder, ['run', '--no-tui', '-q']);
    expect(code).toBe(0);
    const said = readOutputs(folder);
    expect(said).toContain('none');
    expect(said).not.toContain('found');
  });
});

test('an agent that removes its own folder removes nothing of the run', async () => {
  const body = agent('here=$PWD; cd /; rm -rf "$here"; mkdir -p "$here/.agent"; echo "cleaned up $own"', 'echo "VOTE: agent1 good"');
  const files = { 'ralph.yml': config(), 'agent.sh': body, 'keep.txt': 'kept', 'src/a.js': '1' };
  await withFolder(files, async (folder) => {
    await ralph(folder, ['run', '--no-tui', '-q', '--max-iterations', '1']);
    expect(['keep.txt', 'src/a.js', 'ralph.yml', 'agent.sh'].filter((name) => !existsSync(join(folder, name)))).toEqual([]);
  });
});

test('the same words with other work are another answer', async () => {
  const body = agent('echo "$own" > made.txt; ralph panel answer Done.', 'ralph panel vote agent2 good');
  await withFolder({ 'ralph.yml': config(), 'agent.sh': body }, async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui', '-q'])).code).toBe(0);
    expect(readAnswers(folder)).toEqual(['Done.', 'Done.']);
    expect(readMoves(folder).filter(({ kind }) => kind === 'vote-given')).toHaveLength(2);
    expect(readFileSync(join(folder, 'made.txt'), 'utf8')).not.toBe('');
  });
});

test('what comes from standard input without end is read to the limit, and refused', async () => {
  const body = agent('yes | ralph panel answer - 2>&1; ralph panel answer "$own"', 'ralph panel vote agent1 good');
  await withFolder({ 'ralph.yml': config(), 'agent.sh': body }, async (folder) => {
    expect((await ralph(folder, ['run', '--no-tui', '-q'])).code).toBe(0);
    expect(readOutputs(folder)).toMatch(/Not taken: The answer has \d+ characters, and 100000 are taken/);
  });
});
