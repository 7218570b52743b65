/** Hooks as a user has them: `ralph run` with the native agent, whose model is a script. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../../src/mock-model/index.ts';
import { answer, findFiles, script, vote } from './panel-scripts.ts';
import { ralph, withFolder } from './ralph.ts';

const CONFIG = `
cli: {backend: {type: native, provider: scripted, script: model.yml}}
event_loop: {prompt: Write the files}
gates: []
hooks:
  PreToolUse:
    - {matcher: "*", handler: "hooks/audit.mjs#audit"}
    - {matcher: Bash, command: "exit 0"}
  PostToolUse:
    - {matcher: Write, name: all, command: "touch asked-by-all"}
hats:
  builder:
    triggers: [task.start, task.resume]
    publishes: [task.complete]
    profile: creator
    hooks:
      PreToolUse:
        - {matcher: Write, type: command, handler: custom_write_hook.mjs}
      PostToolUse:
        override: true
        hooks:
          - {matcher: Write, handler: style.sh}
`;

const FILES = {
  'ralph.yml': CONFIG,
  'model.yml': `
hats:
  builder:
    - steps:
        - calls: [{tool: write_file, args: {path: secret.txt, content: x}}, {tool: write_file, args: {path: a.txt, content: hello}}]
        - calls: [{tool: read_file, args: {path: custom_write_hook.mjs}}, {tool: write_file, args: {path: custom_write_hook.mjs, content: "process.exit(0)"}}]
        - calls: [{tool: write_file, args: {path: b.txt, content: again}}]
        - calls: [{tool: emit_event, args: {topic: task.complete}}]
        - text: Done.
`,
  'hooks/audit.mjs':
    'import { appendFileSync } from "node:fs";\nexport const audit = (e) => appendFileSync("audit.log", [e.hook_type, e.tool_name, e.agent_id].join(" ") + "\\n");\n',
  'custom_write_hook.mjs': `import { readFileSync } from 'node:fs';
const { tool_input: input } = JSON.parse(readFileSync(0, 'utf8'));
if (input.path.startsWith('secret')) console.log(JSON.stringify({ decision: 'deny', reason: 'these files are mine' }));
else if (input.path === 'a.txt') console.log(JSON.stringify({ updated_input: { path: 'a.txt', content: 'HELLO' } }));
`,
  'style.sh': `echo '{"injects": [{"content": "two spaces", "strategy": "tool_result"}, {"content": "look at the list", "strategy": "user_message"}]}'\n`,
};

/** What the first turn of the only run wrote down. */
function readSession(folder: string): string {
  const runs = join(folder, '.ralph/runs');
  return readFileSync(join(runs, readdirSync(runs)[0] ?? '', 'turns/1.1/session.jsonl'), 'utf8');
}

test('hooks of all and of a hat are asked in order, deny, change and tell, and bind although the agent rewrites one', async () => {
  await withFolder(FILES, async (folder) => {
    const listed = await ralph(folder, ['hooks', '--hat', 'builder', '--format', 'json']);
    expect(
      listed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).name),
    ).toEqual([
      ...['audit.mjs#audit', 'exit 0', 'custom_write_hook.mjs', 'style.sh'],
      ...['ralph:hard-time-limit', 'ralph:priority-reminder', 'ralph:reminder-extraction', 'ralph:soft-time-limit'],
    ]);
    const run = await ralph(folder, ['run']);
    expect([run.code, run.stderr]).toEqual([0, expect.anything()]);
    const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
    expect(read('a.txt')).toBe('HELLO');
    expect(readdirSync(folder)).not.toContain('secret.txt');
    // Rewritten by the agent, the hook does not run any more, and what it was asked about is denied.
    expect(readdirSync(folder)).not.toContain('b.txt');
    expect(readdirSync(folder)).not.toContain('asked-by-all');
    expect(
      read('audit.log')
        .split('\n')
        .filter((line) => line === 'PreToolUse write_file builder'),
    ).toHaveLength(4);
    const lines = readSession(folder)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const results = lines.filter(({ type }) => type === 'tool-result');
    expect(results[0]).toMatchObject({
      result: { isError: true, text: expect.stringContaining('custom_write_hook.mjs: these files are mine') },
      hooks: [{ decision: 'allow' }, { name: 'custom_write_hook.mjs', decision: 'deny' }],
    });
    expect(results[1].result.notes).toEqual(['two spaces']);
    expect(results[4].result.text).toContain('was changed since the run began');
    // One behind each write that was made; they are kept with the results that they follow.
    expect(results.flatMap(({ messages }) => messages ?? [])).toEqual(['look at the list', 'look at the list']);
    expect(run.stdout + run.stderr).toContain('write_file by a hook');
    expect(run.stdout + run.stderr).toContain('hook custom_write_hook.mjs said deny to write_file: these files are mine');
    expect((await ralph(folder, ['status'])).stdout).toMatch(/You\s+The file of the hook custom_write_hook\.mjs was changed/);
    const shown = await ralph(folder, ['show', readdirSync(join(folder, '.ralph/runs'))[0] ?? '', '1']);
    expect(shown.stdout).toMatch(/audit\.mjs#audit allow \d+/);
  });
});

test.each([
  [
    'text',
    expect.stringMatching(
      /^hi\n\[exit code 0\]\n\n═{60}\nSYSTEM CONTEXT [0-9a-f]{12} \(not part of the output of the tool\):\ntwo spaces\n═{60}$/,
    ),
  ],
  ['json', '{"output":"hi\\n[exit code 0]","system_notes":["two spaces"]}'],
])('what a hook says behind a result is given to the model as %s', async (form, wanted) => {
  const server: ModelServer = await startModelServer({
    handler: () => (server.requests.length === 1 ? { calls: [{ tool: ['bash'], args: { command: 'echo hi' } }] } : { text: 'Done.' }),
  });
  const config = `
cli: {backend: {type: native, provider: openai-compatible, model: some-model, base_url: ${server.url}/v1}}
event_loop: {prompt: Say hi, max_iterations: 1}
gates: []
hooks_defaults: {tool_result: ${form}}
hooks:
  PostToolUse:
    - {matcher: Bash, handler: style.sh}
`;
  try {
    await withFolder(
      { 'ralph.yml': config, 'style.sh': `echo '{"inject": {"content": "two spaces", "strategy": "tool_result"}}'\n` },
      async (folder) => {
        await ralph(folder, ['run', '--no-tui']);
        const { messages } = JSON.parse(server.requests[1]?.body ?? '{}');
        expect(messages.find(({ role }: { role: string }) => role === 'tool').content).toEqual(wanted);
        expect(messages[0].content).toContain(form === 'json' ? '`system_notes`' : 'SYSTEM CONTEXT');
      },
    );
  } finally {
    await server.close();
  }
});

test('a hook is tried without a run', async () => {
  await withFolder(FILES, async (folder) => {
    const tried = await ralph(folder, [
      'hooks',
      'test',
      'PreToolUse',
      '--tool',
      'write_file',
      '--input',
      '{"path":"secret.txt"}',
      '--format',
      'json',
    ]);
    expect(JSON.parse(tried.stdout)).toMatchObject({
      verdicts: [
        { name: 'audit.mjs#audit', decision: 'allow', error: null },
        { name: 'custom_write_hook.mjs', decision: 'deny' },
      ],
      merged: { decision: 'deny', reason: 'custom_write_hook.mjs: these files are mine', updated_input: null, injects: [], errors: [] },
    });
    const wrong = await ralph(folder, ['hooks', 'test', 'PreToolUse', '--tool', 'write_file', '--input', 'x']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('is no JSON object')]);
    for (const [tool, said] of [
      ['write_fil', 'There is no tool "write_fil": did you mean write_file?'],
      ['Write', 'There is no tool "Write" here: it is called write_file.'],
    ] as const) {
      const missing = await ralph(folder, ['hooks', 'test', 'PreToolUse', '--tool', tool]);
      expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    const unknown = await ralph(folder, ['hooks', 'test', 'constructor', '--tool', 'write_file']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('The events are: PreToolUse')]);
  });
});

test('a batch of calls has no tool of its own: ralph hooks test needs none for it, and makes a batch of the one that is named', async () => {
  const config = `${CONFIG.split('hooks:')[0]}hooks: {PostToolBatch: [{handler: "batch.mjs#count"}]}\n`;
  const files = {
    'ralph.yml': config,
    'batch.mjs': 'export const count = (e) => ({ inject: { content: "calls: " + e.tool_calls.map((c) => c.tool_name) } });\n',
  };
  await withFolder({ ...FILES, ...files }, async (folder) => {
    for (const [flags, calls] of [
      [[], 'calls: '],
      [['--tool', 'bash'], 'calls: bash'],
    ] as const) {
      const { stderr, stdout } = await ralph(folder, ['hooks', 'test', 'PostToolBatch', ...flags, '--format', 'json']);
      expect([stderr, JSON.parse(stdout || '{}').merged?.injects]).toEqual(['', [{ content: calls, strategy: 'tool_result' }]]);
    }
    const call = await ralph(folder, ['hooks', 'test', 'PreToolUse']);
    expect([call.code, call.stderr]).toEqual([2, expect.stringContaining('Which tool is called?')]);
  });
});

test('a function that never answers is waited for until its time is over', async () => {
  const config = CONFIG.replace('handler: "hooks/audit.mjs#audit"', 'handler: "stuck.mjs#wait", timeout: 1');
  await withFolder({ ...FILES, 'ralph.yml': config, 'stuck.mjs': 'export const wait = () => new Promise(() => {});\n' }, async (folder) => {
    const { code, stdout } = await ralph(folder, ['hooks', 'test', 'PreToolUse', '--tool', 'read_file', '--format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).merged.errors).toEqual(['stuck.mjs#wait: it gave no answer within 1 s']);
  });
});

test('an import error of Python fails closed, and its runtime error fails open: a function that is not there denies, one that raises allows', async () => {
  const yaml = (handler: string): string => CONFIG.replace('handler: "hooks/audit.mjs#audit"', `handler: ${handler}, type: python`);
  const files = { 'team_hooks.py': 'def fail(event):\n    raise ValueError("oops")\n', 'broken.py': 'import no_such_module\n' };
  for (const [handler, decision, error] of [
    ['no_such_module.check', 'deny', 'cannot be imported'],
    ['team_hooks.absent', 'deny', 'cannot be imported'],
    ['broken.check', 'deny', 'cannot be imported'],
    ['team_hooks.fail', 'allow', 'ValueError: oops'],
  ] as const)
    await withFolder({ ...FILES, ...files, 'ralph.yml': yaml(handler) }, async (folder) => {
      const { stdout } = await ralph(folder, ['hooks', 'test', 'PreToolUse', '--tool', 'read_file', '--format', 'json']);
      expect(JSON.parse(stdout).merged).toMatchObject({ decision, errors: [expect.stringContaining(error)] });
    });
});

test('hooks of a backend bind its turns, and one that nobody waits for tells the model behind a later call', async () => {
  const config = `
cli:
  backend:
    type: native
    provider: scripted
    script: model.yml
    hooks:
      PreToolUse:
        override: true
        hooks:
          - {matcher: write_file, once: true, handler: deny.sh}
          - {matcher: read_file, async: true, handler: late.sh}
event_loop: {prompt: Write the files}
gates: []
hooks: {PreToolUse: [{matcher: "*", command: "touch asked-by-all"}, {matcher: "*", locked: true, command: "touch asked-locked"}]}
hats: {builder: {triggers: [task.start, task.resume], publishes: [task.complete], profile: creator}}
`;
  const model = `
hats:
  builder:
    - steps:
        - calls: [{tool: write_file, args: {path: a.txt, content: x}}, {tool: read_file, args: {path: ralph.yml}}]
        - calls: [{tool: write_file, args: {path: a.txt, content: again}}]
        - calls: [{tool: bash, args: {command: sleep 1}}]
        - calls: [{tool: emit_event, args: {topic: task.complete}}]
        - text: Done.
`;
  const files = {
    'ralph.yml': config,
    'model.yml': model,
    'deny.sh': `echo '{"decision": "deny", "reason": "not yet"}'\n`,
    'late.sh': `echo '{"inject": {"content": "seen late"}}'\n`,
  };
  await withFolder(files, async (folder) => {
    const listed = await ralph(folder, ['hooks', '--hat', 'builder', '--format', 'json']);
    const rows = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ builtIn }) => builtIn !== true);
    expect(rows.map(({ backend, name }) => [backend, name.slice(0, 18)])).toEqual([
      ['native:scripted', 'touch asked-locked'],
      ['native:scripted', 'deny.sh'],
      ['native:scripted', 'late.sh'],
    ]);
    const run = await ralph(folder, ['run']);
    expect(run.stdout + run.stderr).toContain('not yet');
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('again');
    expect(existsSync(join(folder, 'asked-locked'))).toBe(true);
    expect(existsSync(join(folder, 'asked-by-all'))).toBe(false);
    expect(readSession(folder)).toContain('seen late');
  });
});

test('what does not bind is said before the run', async () => {
  const config = CONFIG.replace('{type: native, provider: scripted, script: model.yml}', 'claude');
  await withFolder({ ...FILES, 'ralph.yml': config }, async (folder) => {
    const { stdout, stderr } = await ralph(folder, ['validate']);
    expect(stdout + stderr).toContain('These hooks do not bind "builder": claude calls its tools by itself.');
  });
});

test('a team of MassGen does after `ralph migrate` what its hooks say', async () => {
  const names = [
    'massgen.yml',
    'massgen/__init__.py',
    'massgen/hooks.py',
    'custom_write_hook.py',
    'agent1_logging.py',
    'logging_of_all.py',
  ];
  const theirs = new URL('../../fixtures/foreign/massgen-hooks/', import.meta.url);
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, theirs), 'utf8')]));
  const model = script({
    agent1: [
      [
        `        - calls: [{tool: write_file, args: {path: secret.txt, content: x}}, {tool: write_file, args: {path: a.txt, content: hello}}]`,
        answer('One file.'),
      ],
      [vote('agent1')],
    ],
    agent2: [['        - calls: [{tool: write_file, args: {path: secret.txt, content: x}}]', answer('Another.')], [vote('agent1')]],
  });
  await withFolder({ ...files, 'model.yml': model }, async (folder) => {
    const migrated = await ralph(folder, ['migrate', 'massgen.yml', '-o', 'ralph.yml']);
    expect(migrated.stderr).toContain('Written: ralph.yml.');
    const written = readFileSync(join(folder, 'ralph.yml'), 'utf8');
    const added =
      'cli: {backend: {type: native, provider: scripted, script: model.yml}}\nevent_loop: {prompt: Write the files}\ngates: []\n';
    writeFileSync(join(folder, 'ralph.yml'), `${written.replace('tie: first', 'tie: first\n      injection: off')}${added}`);
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    const output = stdout + stderr;
    // The hook of agent1 binds agent1 alone; what all are asked, both are asked.
    expect([code, output]).toEqual([0, expect.stringContaining('one use of a tool was stopped: write_file by a hook')]);
    expect(output).toContain('hook agent1_logging.py said after write_file: your list is empty');
    const kept = findFiles(folder, /snapshots\/node_modules\/agent\d\.1\/audit\.log$/).map((path) => dirname(path));
    const has = (work: string, name: string): boolean => existsSync(join(work, name));
    expect(kept.map((work) => has(work, 'agent1.log')).toSorted()).toEqual([false, true]);
    for (const work of kept) {
      const isFirst = has(work, 'agent1.log');
      expect([has(work, 'a.txt'), has(work, 'all.log')]).toEqual([isFirst, !isFirst]);
      const calls = readFileSync(join(work, 'audit.log'), 'utf8').trim().split('\n');
      expect(calls.map((line) => line.split(' ')[1])).toEqual([...(isFirst ? ['write_file'] : []), 'write_file', 'new_answer']);
    }
  });
});
