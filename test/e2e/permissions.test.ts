/** Permissions as a user has them: `ralph run` with the native agent, whose model is a script. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ralph, start, withFolder } from './ralph.ts';
import { until } from './run-facts.ts';

const CONFIG = `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write the files}
gates: []
permissions:
  deny: [write_file(secret/**)]
  ask: ["bash(touch asked*)"]
  allow: ["bash(touch allowed*)"]
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    profile: editor
    permissions: {deny: ["bash(rm:*)"]}
`;

const FILES = {
  'ralph.yml': CONFIG,
  'keep.txt': 'x',
  'model.yml': `
hats:
  builder:
    - steps:
        - calls: [{tool: write_file, args: {path: ./a/../secret/x.txt, content: x}}, {tool: write_file, args: {path: a.txt, content: x}}]
        - calls: [{tool: bash, args: {command: "ls; rm keep.txt"}}, {tool: bash, args: {command: touch asked.txt}}]
        - calls: [{tool: bash, args: {command: touch allowed.txt}}, {tool: bash, args: {command: touch other.txt}}]
        - calls: [{tool: emit_event, args: {topic: task.complete}}]
        - text: Done.
`,
};

interface Told {
  readonly results: readonly string[];
  readonly record: readonly string[];
  readonly there: readonly string[];
  readonly output: string;
}

async function run(folder: string): Promise<Told> {
  const { code, stdout, stderr } = await ralph(folder, ['run']);
  expect([code, stderr]).toEqual([0, expect.anything()]);
  const id = readdirSync(join(folder, '.ralph/runs'))[0] ?? '';
  const read = (name: string) =>
    readFileSync(join(folder, '.ralph/runs', id, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  return {
    results: read('turns/1.1/session.jsonl').flatMap((line) => (line.type === 'tool-result' ? [line.result.text] : [])),
    record: read('permissions.jsonl').map(({ turn, tool, argument, decision, by }) => `${turn} ${tool} ${argument}: ${decision} by ${by}`),
    there: ['secret', 'a.txt', 'keep.txt', 'asked.txt', 'allowed.txt', 'other.txt'].filter((name) => existsSync(join(folder, name))),
    output: stdout + stderr,
  };
}

test('what is denied is not done, what a person would have to allow neither, and the record says why', async () => {
  await withFolder(FILES, async (folder) => {
    const { results, record, there, output } = await run(folder);
    expect(there).toEqual(['a.txt', 'keep.txt', 'allowed.txt', 'other.txt']);
    expect(results[0]).toContain('The permissions deny this call: nothing was done. write_file: deny write_file(secret/**) (ralph.yml:6)');
    expect(results[2]).toContain('bash: deny bash(rm:*) (ralph.yml:14)');
    expect(results[3]).toContain('A person would have to allow this call, and nobody');
    expect(record.slice(0, 3)).toEqual([
      '1.1 write_file ./a/../secret/x.txt: deny by rule',
      '1.1 bash ls; rm keep.txt: deny by rule',
      '1.1 bash touch asked.txt: ask by rule',
    ]);
    expect(record.slice(3)).toEqual([
      expect.stringMatching(/^1\.1 bash touch asked\.txt: deny by (?:nobody|policy)$/),
      '1.1 bash touch allowed.txt: allow by rule',
    ]);
    expect(output).toContain('write_file by its permissions');
    expect((await ralph(folder, ['show'])).stdout).toContain('Permissions: 3 denied, 1 left to a person, 1 allowed');
  });
});

test('what a person would have to allow is done where nobody is there and that is said to be enough', async () => {
  await withFolder({ ...FILES, 'ralph.yml': CONFIG.replace('permissions:\n', 'permissions:\n  on_ask: allow\n') }, async (folder) => {
    expect((await run(folder)).there).toContain('asked.txt');
  });
});

test('what would be decided is told without a run, and the rules are listed as they are asked', async () => {
  await withFolder(FILES, async (folder) => {
    const tryCall = async (command: string) => {
      const input = JSON.stringify({ command });
      const args = ['hooks', 'test', 'PreToolUse', '--tool', 'bash', '--input', input, '--hat', 'builder', '--format', 'json'];
      return JSON.parse((await ralph(folder, args)).stdout);
    };
    expect(await tryCall('touch asked.txt && rm x')).toMatchObject({
      verdicts: [
        { name: 'permissions: deny bash(rm:*)', decision: 'deny', reason: 'ralph.yml:14', error: null },
        { name: 'permissions: ask bash(touch asked*)', decision: 'ask' },
      ],
      merged: { decision: 'deny', reason: 'permissions: deny bash(rm:*) (ralph.yml:14)' },
    });
    expect((await tryCall('touch asked.txt')).merged.decision).toBe('ask');
    expect(await tryCall('touch allowed.txt')).toMatchObject({
      verdicts: [{ decision: 'allow' }],
      merged: { decision: 'allow', reason: '' },
    });
    const listed = await ralph(folder, ['hooks', '--hat', 'builder', '--format', 'json']);
    const rules = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ builtIn }) => builtIn !== true);
    expect(rules.map(({ order, permission, rule, place }) => `${order} ${permission} ${rule} ${place}`)).toEqual([
      '1 deny write_file(secret/**) ralph.yml:6',
      '2 deny bash(rm:*) ralph.yml:14',
      '3 ask bash(touch asked*) ralph.yml:7',
      '4 allow bash(touch allowed*) ralph.yml:8',
    ]);
    expect((await ralph(folder, ['hooks', '--hat', 'builder'])).stdout).toContain('ask, nobody there: deny');
  });
});

test('a hook that leaves a call to a person is overruled by no rule that allows it, and answered by a hook of PermissionRequest', async () => {
  const hooks = (answer: string) => `
hooks:
  PreToolUse: [{matcher: bash, command: "echo '{\\"decision\\": \\"ask\\", \\"reason\\": \\"who knows\\"}'"}]
  PermissionRequest: [{matcher: bash, name: judge, command: "${answer}"}]
`;
  await withFolder({ ...FILES, 'ralph.yml': CONFIG + hooks('exit 0') }, async (folder) => {
    const { there, results } = await run(folder);
    expect(there).toEqual(['a.txt', 'keep.txt']);
    expect(results[4]).toContain('who knows');
  });
  await withFolder({ ...FILES, 'ralph.yml': CONFIG + hooks(`echo '{\\"decision\\": \\"allow\\"}'`) }, async (folder) => {
    expect((await run(folder)).there).toEqual(['a.txt', 'keep.txt', 'asked.txt', 'allowed.txt', 'other.txt']);
  });
});

test('what does not bind is said before the run', async () => {
  const config = CONFIG.replace('{type: native, provider: scripted, script: model.yml}', 'claude');
  await withFolder({ ...FILES, 'ralph.yml': config }, async (folder) => {
    const { stdout, stderr } = await ralph(folder, ['validate']);
    expect(stdout + stderr).toContain('These permissions do not bind "builder": claude calls its tools by itself.');
  });
});

test('with on_ask: wait a call waits for a person, who allows it for the run: it is asked once', async () => {
  const model = `
hats:
  builder:
    - steps:
        - calls: [{tool: bash, args: {command: touch asked.txt}}]
        - calls: [{tool: bash, args: {command: touch asked.txt}}]
        - calls: [{tool: emit_event, args: {topic: task.complete}}]
        - text: Done.
`;
  await withFolder({ ...FILES, 'ralph.yml': `${CONFIG}on_ask: wait\n`, 'model.yml': model }, async (folder) => {
    const running = start(folder, ['run', '--no-tui']);
    await until('the question', async () => (await ralph(folder, ['asks'])).stdout.includes('The call: touch asked.txt'));
    expect(existsSync(join(folder, 'asked.txt'))).toBe(false);
    expect((await ralph(folder, ['answer', 'run'])).stdout).toContain('Answered q1');
    expect((await running.done).code).toBe(0);
    expect(existsSync(join(folder, 'asked.txt'))).toBe(true);
    const { stdout } = await ralph(folder, ['status', '--format', 'json']);
    expect(JSON.parse(stdout).questions).toMatchObject([{ id: 'q1', purpose: 'permission', answer: { choice: 'run', by: 'person' } }]);
  });
});
