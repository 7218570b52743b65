/** Agents of a panel in the sandbox of the operating system: each can write in its own folder alone, and finds nothing of the others but what it is shown. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOsSandbox } from '../../src/sandbox/index.ts';
import { makeRepository } from './git.ts';
import { ralph, withFolder } from './ralph.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);

/** Tries what must not work, and says what worked all the same. `$MAIN`: the folder of the person. */
const ATTACK = `
for file in "$MAIN"/.ralph/runs/*/journal.jsonl "$MAIN"/.ralph/runs/*/panels/*/folders.json ../../folders.json; do
  [ ! -e "$file" ] || echo "sees $file"
done
for folder in "$MAIN"/.ralph/runs/*/panels/*/*/work "$MAIN"/.ralph/runs/*/panels/*/snapshots; do
  [ "$folder" = "$PWD" ] || [ ! -d "$folder" ] || echo "sees $folder"
done
[ "$(ls ../.. | wc -l)" = 1 ] || echo "sees beside it: $(ls ../..)"
grep -r "zebulon" "$MAIN/.ralph" 2> /dev/null | grep -v "$PWD" | head -3
[ ! -e "$MAIN/old.txt" ] || echo "reads the folder of the person"
for file in "$MAIN"/.ralph/worktrees/*/old.txt; do [ ! -e "$file" ] || echo "reads the folder of the run"; done
echo x 2> /dev/null > "$MAIN/evil.txt"; echo x 2> /dev/null > "$MAIN/.ralph/evil.txt"; echo x 2> /dev/null > ../evil.txt; echo x 2> /dev/null > ../../evil.txt
git log > /dev/null 2>&1 && echo "sees a repository"
grep -q links/tool links/tool 2> /dev/null || [ "$(cat links/tool)" = shared ] || echo "does not see what is linked"
echo x 2> /dev/null > links/evil.txt
`;

const AGENT = `#!/bin/sh
prompt=$(cat)
case "$prompt" in
*"Vote for the best answer"*)
  shown=$(printf '%s' "$prompt" | grep -o 'its work, to read: .[^\`]*' | sed 's/.*\`//')
  for folder in $shown; do
    [ -f "$folder/made.txt" ] || echo "cannot read $folder" >> votes.txt
    echo x 2> /dev/null > "$folder/made.txt"
  done
  [ "$(echo "$shown" | wc -w)" = 3 ] || echo "was shown $shown" >> votes.txt
  sh ./attack.sh >> votes.txt 2>&1
  echo "VOTE: agent1 $(tr '\\n' ';' < votes.txt)";;
*) sh ./attack.sh > found.txt 2> found.err; echo "$$ $(od -An -N4 -tx4 /dev/urandom)" > made.txt; echo "I looked: $(cat found.txt) $(cat made.txt)";;
esac
`;

const AGENTS = '[{id: zebulon}, {id: zebulon-second}, {id: carl}]';
const CUSTOM = '{type: custom, command: ./agent.sh, prompt_mode: stdin}';

function config(parts: { readonly top?: string; readonly hat?: string; readonly agents?: string; readonly backend?: string }): string {
  const { top = '', hat = '', agents = AGENTS, backend = CUSTOM } = parts;
  return `
cli: {backend: ${backend}}
event_loop: {prompt: Look around, max_iterations: 3}
worktree: {link: [links]}
${top}
gates: []
hats:
  looker:
    triggers: [task.start, task.resume]
    publishes: [task.complete]
${hat === '' ? '' : `    ${hat}\n`}    panel: {agents: ${agents}, injection: off}
`;
}

const FILES = { 'agent.sh': AGENT, 'attack.sh': ATTACK, 'old.txt': 'old\n', 'links/tool': 'shared\n', '.gitignore': 'links/\n' };

function findFiles(folder: string, end: RegExp): readonly string[] {
  const runs = join(folder, '.ralph/runs');
  return readdirSync(runs, { recursive: true, encoding: 'utf8' }).flatMap((path) => (end.test(path) ? [join(runs, path)] : []));
}

/** What somebody wrote where nobody but Ralph may. */
function listEvil(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('evil.txt'));
}

describe.skipIf(SANDBOX.found === null)('an agent of a panel in a sandbox', () => {
  it('that is a program of a safe run finds neither the journal, nor who is who, nor the others, nor the folders of run and person', async () => {
    await withFolder({ ...FILES, 'ralph.yml': config({}) }, async (folder) => {
      makeRepository(folder);
      const { code, stdout, stderr } = await ralph(folder, ['run', '--safe', '--no-tui'], { MAIN: folder });
      expect(code, stdout + stderr).toBe(0);
      expect(stdout).toContain(' won with 3 of 3 votes');
      const [worktree = ''] = readdirSync(join(folder, '.ralph/worktrees'));
      const work = join(folder, '.ralph/worktrees', worktree);
      expect(readFileSync(join(work, 'made.txt'), 'utf8')).toMatch(/[0-9a-f]{8}/);
      expect([readFileSync(join(work, 'found.txt'), 'utf8'), readFileSync(join(work, 'found.err'), 'utf8')]).toEqual(['', '']);
      const [votes = ''] = findFiles(folder, /votes\.json$/);
      expect((JSON.parse(readFileSync(votes, 'utf8')) as { reason: string }[]).map(({ reason }) => reason.trim())).toEqual(['', '', '']);
      expect(listEvil(folder)).toEqual([]);
    });
  });

  it.each([
    ['a program', config({ hat: 'sandbox: required' })],
    ['a program, where all hats are to be held', config({ top: 'sandbox: required', hat: 'sandbox: required' })],
  ])('that works in the folder itself is held in the same way: %s', async (_, yaml) => {
    await withFolder({ ...FILES, 'ralph.yml': yaml }, async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui'], { MAIN: folder });
      expect(code, stdout + stderr).toBe(0);
      expect([readFileSync(join(folder, 'found.txt'), 'utf8'), readFileSync(join(folder, 'found.err'), 'utf8')]).toEqual(['', '']);
      expect(listEvil(folder)).toEqual([]);
      expect(readFileSync(join(folder, 'old.txt'), 'utf8')).toBe('old\n');
    });
  });

  it('that is a native one starts programs that are held, and its tools reach nothing else', async () => {
    const model = `hats:\n${['zebulon', 'zebulon-second', 'carl']
      .map(
        (id) => `  ${id}:
    - steps:
        - calls: [{tool: bash, args: {command: "sh ./attack.sh > found.txt 2>&1; echo made > made.txt"}}]
        - calls: [{tool: read_file, args: {path: ../../folders.json}}, {tool: list_files, args: {path: ../..}}]
        - calls: [{tool: new_answer, args: {content: "I looked."}}]
    - steps:
        - calls: [{tool: vote, args: {agent_id: agent1, reason: "It is there."}}]
`,
      )
      .join('')}`;
    const yaml = config({
      hat: 'sandbox: required\n    profile: creator',
      backend: '{type: native, provider: scripted, script: model.yml}',
    });
    await withFolder({ ...FILES, 'model.yml': model, 'ralph.yml': yaml }, async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui'], { MAIN: folder });
      expect(code, stdout + stderr).toBe(0);
      expect(readFileSync(join(folder, 'made.txt'), 'utf8')).toBe('made\n');
      expect(readFileSync(join(folder, 'found.txt'), 'utf8')).toBe('');
      const sessions = findFiles(folder, /turns\/1\.1\/session\.jsonl$/).map((path) => readFileSync(path, 'utf8'));
      expect(sessions).toHaveLength(3);
      for (const text of sessions) expect(text).not.toMatch(/views\W+:/);
      expect(listEvil(folder)).toEqual([]);
    });
  });

  it('whose own profile lets it write nothing writes nothing, and others of its panel do', async () => {
    const agents = '[{id: reader, profile: explorer}, {id: writer}, {id: other, profile: explorer}]';
    await withFolder({ ...FILES, 'ralph.yml': config({ agents }) }, async (folder) => {
      const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui'], { MAIN: join(folder, 'nowhere') });
      expect(code, stdout + stderr).toBe(0);
      const made = findFiles(folder, /\/snapshots\/node_modules\/agent[1-3]\.1\/made\.txt$/);
      expect(made).toHaveLength(1);
      expect(stdout + stderr).not.toContain('may not write, and changed');
    });
  });
});

it('what an agent of a panel writes that may not is told, and not taken over, where no sandbox holds it', async () => {
  const agents = '[{id: reader}, {id: second}, {id: third}]';
  await withFolder({ ...FILES, 'ralph.yml': config({ agents, hat: 'profile: explorer\n    sandbox: off' }) }, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui'], { MAIN: join(folder, 'nowhere') });
    expect(code, stdout + stderr).toBe(0);
    expect(stdout + stderr).toMatch(/reader may not write, and changed [^\n]*made\.txt/);
    expect(existsSync(join(folder, 'made.txt'))).toBe(false);
    const { stdout: shown } = await ralph(folder, ['show', '1']);
    expect(shown.replace(/\s+/g, ' ')).toMatch(/made\.txt/);
  });
});

/** Stands for claude: answers with the words that it was started with. */
const CLAUDE = `#!/bin/sh
prompt=$(cat)
words=$(printf '%s ' "$@" | tr -d '"\\\\' | tr '\\n' ' ')
case "$prompt" in *"Vote for the best answer"*) words="VOTE: agent1 it is there";; esac
echo '{"type":"system","subtype":"init","session_id":"s1","model":"m"}'
echo '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"'"$words"'"}]}}'
echo '{"type":"result","subtype":"success","is_error":false,"result":"'"$words"'","session_id":"s1","usage":{"input_tokens":1,"output_tokens":1},"total_cost_usd":0.01}'
`;

it('an agent CLI of a panel is told its profile and its model as a hat of its own would be, and others of its panel theirs', async () => {
  const claude = '{type: claude, command: ./claude.sh}';
  const agents = `[{id: reader, backend: ${claude}, profile: explorer, model: opus}, {id: writer, backend: ${claude}, model: haiku}, {id: third, backend: ${claude}, profile: explorer}]`;
  const files = { ...FILES, 'claude.sh': CLAUDE, 'ralph.yml': config({ agents, hat: 'sandbox: off' }) };
  await withFolder(files, async (folder) => {
    const { code, stdout, stderr } = await ralph(folder, ['run', '--no-tui']);
    expect(code, stdout + stderr).toBe(0);
    const [journal = ''] = findFiles(folder, /^[^/]+\/journal\.jsonl$/);
    const answers = readFileSync(journal, 'utf8')
      .split('\n')
      .flatMap((line) => (line.includes('answer-given') ? [/"content":"([^"]*)"/.exec(line)?.[1] ?? ''] : []));
    const of = (model: string) => answers.find((text) => text.includes(`--model ${model}`)) ?? '';
    expect(answers).toHaveLength(3);
    expect(of('opus')).not.toContain('bypassPermissions');
    expect(of('opus')).toMatch(/--(?:allowedTools|tools|disallowedTools)/);
    expect(of('haiku')).toMatch(/bypassPermissions|--dangerously-skip-permissions/);
  });
});

it('`ralph hooks` and `ralph doctor --sandbox` tell of each agent of a panel', async () => {
  const native = '{type: native, provider: scripted, script: model.yml}';
  const hooks = (word: string): string => `{PreToolUse: [{command: "true ${word}"}]}`;
  const agents = `[{id: first}, {id: second, profile: critic, hooks: ${hooks('own')}}, {id: third, backend: claude, profile: explorer, hooks: ${hooks('unheard')}}]`;
  const yaml = config({ agents, backend: native, hat: `profile: creator\n    hooks: ${hooks('hat')}` });
  await withFolder({ 'ralph.yml': yaml, 'model.yml': 'turns: []\n' }, async (folder) => {
    const { stdout, stderr } = await ralph(folder, ['hooks', '--hat', 'looker', '--format', 'json']);
    const rows = stdout
      .split('\n')
      .flatMap((line) => (line.includes('"handler"') ? [JSON.parse(line) as { agent?: string; handler: string; unbound: string[] }] : []));
    expect(rows.map(({ agent, handler, unbound }) => [agent, handler, unbound])).toEqual([
      ['first', 'true hat', []],
      ['second', 'true hat', []],
      ['second', 'true own', []],
      ['third', 'true hat', ['claude']],
      ['third', 'true unheard', ['claude']],
    ]);
    expect(stderr).toContain('These hooks do not bind "third" of "looker": claude calls its tools by itself.');
    expect((await ralph(folder, ['hooks', '--hat', 'looker'])).stdout).toContain('looker (second)');
    const tried = ['hooks', 'test', 'PreToolUse', '--tool', 'bash', '--hat', 'looker', '--format', 'json'];
    const asked = async (...more: readonly string[]): Promise<number> =>
      (JSON.parse((await ralph(folder, [...tried, ...more])).stdout) as { verdicts: unknown[] }).verdicts.length;
    expect([await asked(), await asked('--agent', 'second')]).toEqual([1, 2]);
    const unknown = await ralph(folder, [...tried, '--agent', 'secnd']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('second')]);
    const doctor = (await ralph(folder, ['doctor', '--sandbox'])).stdout;
    expect(doctor).toMatch(/looker, first of its panel \(native:scripted, profile creator\): may change files/);
    expect(doctor).toMatch(/looker, second of its panel \(native:scripted, profile critic\): may not change files/);
    expect(doctor).toMatch(/looker, third of its panel \(claude, profile explorer\): may not change files/);
  });
});

it.skipIf(SANDBOX.found === null)(
  'gates judge answers of a safe run in the sandbox, each in a copy that links to what the folder links to',
  async () => {
    const gate = '#!/bin/sh\necho x > "$MAIN/evil.txt"\n[ "$(cat links/tool)" = shared ] && [ -f made.txt ]\n';
    const yaml = config({ agents: `${AGENTS}, strategy: best_of` }).replace(
      'gates: []',
      'gates:\n  - {on: [task.complete], run: ./gate.sh}\ngate_baseline: off',
    );
    await withFolder({ ...FILES, 'gate.sh': gate, 'ralph.yml': yaml }, async (folder) => {
      makeRepository(folder);
      const { code, stdout, stderr } = await ralph(folder, ['run', '--safe', '--no-tui'], { MAIN: folder });
      expect(code, stdout + stderr).toBe(0);
      const [journal = ''] = findFiles(folder, /^[^/]+\/journal\.jsonl$/);
      const checks = readFileSync(journal, 'utf8').match(/"kind":"answer-checked"[^}]*/g) ?? [];
      expect(checks).toHaveLength(3);
      for (const check of checks) expect(check).toContain('"isPassed":true');
      expect(listEvil(folder)).toEqual([]);
    });
  },
);
