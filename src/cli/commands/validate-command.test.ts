import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext, type FakeWorld } from '../fixtures.ts';

let folder = '';
/** What PATH leads to: one agent is there. */
let programs = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-validate-'));
  programs = mkdtempSync(join(tmpdir(), 'ralph-programs-'));
  writeFileSync(join(programs, 'pi'), '#!/bin/sh\n', { mode: 0o755 });
});
afterEach(() => {
  for (const made of [folder, programs]) rmSync(made, { recursive: true, force: true });
});

const VALID =
  'hats:\n  planner:\n    triggers: [task.start, task.resume, build.done]\n    publishes: [build.task]\n  builder:\n    triggers: [build.task]\n    publishes: [build.done]\n';
const WRONG = VALID.replace('publishes: [build.task]', 'publishes: [build.task, deploy.start]');
const SLIP = VALID.replace('publishes: [build.done]', 'publish: [build.done] # hands back');

function write(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

async function validate(args: readonly string[], world: FakeWorld = {}) {
  const fake = createFakeContext({ env: { PATH: programs }, ...world });
  const exitCode = await performCommandLine(['validate', ...args], { ...fake.context, cwd: folder });
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph validate', () => {
  it('says who is in a valid team', async () => {
    write({ 'ralph.yml': VALID });
    expect(await validate([])).toEqual({ exitCode: 0, out: 'ralph.yml: valid (hats: planner, builder)\n', err: '' });
  });

  it('warns of a hat whose agent is not on this machine, but not those who scan code, and --strict does not fail on it', async () => {
    write({ 'ralph.yml': VALID.replace('    triggers: [build.task]', '    backend: codex\n    triggers: [build.task]') });
    const { exitCode, out } = await validate(['--strict']);
    expect(out).toMatch(/^WARN: builder has no installed agent: codex \(.*\[agent-missing\]\n {2}at ralph\.yml:5:3\n/);
    expect(out).toContain('npm install -g @openai/codex');
    expect(exitCode).toBe(0);
    expect((await validate(['--format', 'github'])).out).toBe('');
  });

  it('warns where no agent is named and none of the known ones is on this machine', async () => {
    write({ 'ralph.yml': 'cli: {priority: [codex, claude]}\n' });
    const { exitCode, out } = await validate(['--strict']);
    expect(out).toMatch(/^WARN: ralph has no installed agent: auto \(none of codex, claude was found in PATH\)\. \[agent-missing\]\n/);
    expect(out).toContain('Install it: npm install -g @openai/codex\n       or take an agent that is there (pi): cli.backend: pi\n');
    expect(exitCode).toBe(0);
    expect((await validate(['--format', 'sarif'])).out).not.toContain('agent-missing');
    rmSync(join(folder, 'ralph.yml'));
    expect((await validate([], { env: { PATH: folder } })).out).toContain('No agent CLI is there.');
  });

  describe('looks at each agent of a panel', () => {
    const SCRIPT = 'backend: {type: native, provider: scripted, script: m.yml}';
    const find = async (agents: string, more = ''): Promise<readonly { message: string; fix: string; severity: string }[]> => {
      const panel = `panel: {agents: [${agents}], conflicts: team${more}}`;
      write({
        'ralph.yml': `cli: {priority: [codex]}\nhats:\n  team: {profile: creator, triggers: [task.start, task.resume], publishes: [task.complete], ${panel}}\n`,
      });
      const { out } = await validate(['--format', 'json']);
      return JSON.parse(out).files[0].diagnostics.filter(({ code }: { code: string }) => code === 'agent-missing');
    };

    it('and warns of those that are not there, by what they lack', async () => {
      const found = await find(
        `{id: a, ${SCRIPT}}, {id: b, backend: claude}, {id: c, backend: claude}, {id: d, backend: gemini}, {id: e, ${SCRIPT}}`,
      );
      expect(found.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^b and c of the panel of team have no installed agent: claude \(/),
        expect.stringMatching(/^d of the panel of team has no installed agent: gemini \(/),
      ]);
      expect(found[0]?.fix).toContain('backend of b in hats.team.panel.agents: pi');
    });

    it('and says once what a panel lacks of which all are missing, with the key that counts', async () => {
      const [auto, ...others] = await find('{id: a}, {id: b}, {id: c}');
      expect([auto?.message, others]).toEqual(['team has no installed agent: auto (none of codex was found in PATH).', []]);
      expect(auto?.fix).toContain('hats.team.backend: pi');
      const [own] = await find('{id: a, backend: claude}, {id: b, backend: gemini}, {id: c, backend: claude}');
      expect(own?.fix).toContain('backend of a in hats.team.panel.agents: pi');
    });

    it('and at that of Ralph, where he chooses between answers', async () => {
      const [found, ...others] = await find(`{id: a, ${SCRIPT}}, {id: b, ${SCRIPT}}, {id: c, ${SCRIPT}}`, ', tie: ralph');
      expect(found?.message).toMatch(
        /^Ralph chooses where votes of the panel of team tie \(`tie: ralph`\), and has no installed agent: auto/,
      );
      expect(found?.fix).toMatch(/cli\.backend: pi\nor let the order of the file decide: hats\.team\.panel\.tie: first$/);
      expect(others).toEqual([]);
    });

    it('and hints at conflicts that nobody could mend', async () => {
      const [found] = await find(`{id: a, ${SCRIPT}}, {id: b, ${SCRIPT}}, {id: c, ${SCRIPT}}`);
      expect(found).toBeUndefined();
      write({ 'ralph.yml': readFileSync(join(folder, 'ralph.yml'), 'utf8').replace(', conflicts: team', '') });
      const { out } = await validate([]);
      expect(out).toMatch(/HINT: Ralph gets the conflicts of the panel of team, and has no installed agent: auto/);
    });
  });

  it('checks the defaults where there is no file', async () => {
    expect(await validate([])).toMatchObject({ exitCode: 0, out: '(defaults): valid (solo)\n' });
  });

  it('shows each finding with its place, then a line for the file and where to read on', async () => {
    write({ 'ralph.yml': WRONG });
    const { exitCode, out } = await validate([]);
    expect(exitCode).toBe(1);
    expect(out).toMatch(
      /^ERROR: Event 'deploy\.start' published by 'planner' has no subscriber\. \[event-orphan\]\n {2}at ralph\.yml:4:29\n/,
    );
    expect(out).toMatch(/\n\nralph\.yml: 1 error\nMore: ralph explain event-orphan\n$/);
  });

  it('tells programs everything, in the order of the arguments', async () => {
    write({ 'a.yml': WRONG, 'b.yml': VALID, 'c.yml': 'hats: [' });
    const { exitCode, out } = await validate(['b.yml', 'a.yml', 'c.yml', '--format', 'json']);
    const { files } = JSON.parse(out);
    expect(exitCode).toBe(1);
    expect(
      files.map((file: { file: string; valid: boolean; coordination: unknown }) => [file.file, file.valid, file.coordination]),
    ).toEqual([
      ['b.yml', true, 'hats'],
      ['a.yml', false, 'hats'],
      ['c.yml', false, null],
    ]);
    const [finding] = files[1].diagnostics;
    expect(finding).toEqual({
      code: 'event-orphan',
      severity: 'error',
      message: "Event 'deploy.start' published by 'planner' has no subscriber.",
      why: expect.stringMatching(/./),
      fix: expect.stringContaining('terminal_events'),
      file: 'a.yml',
      line: 4,
      column: 29,
      endLine: 4,
      endColumn: 41,
      hats: ['planner'],
      topics: ['deploy.start'],
      related: [],
    });
    expect(Object.keys(files[0])).toEqual(['file', 'valid', 'coordination', 'diagnostics']);
  });

  it('gives related places as a list with numbers', async () => {
    write({ 'ralph.yml': 'name: a\nname: b\n' });
    const { out } = await validate(['--format', 'json']);
    expect(JSON.parse(out).files[0].diagnostics[0].related).toEqual([
      { message: 'It is here first.', file: 'ralph.yml', line: 1, column: 1, endLine: 1, endColumn: 5 },
    ]);
  });

  it('calls findings by the name that was typed', async () => {
    write({ 'sub/a.yml': WRONG });
    const { out } = await validate(['./sub/../sub/a.yml', '--format', 'json']);
    expect(JSON.parse(out).files[0]).toMatchObject({ file: './sub/../sub/a.yml', diagnostics: [{ file: './sub/../sub/a.yml' }] });
  });

  it('checks the others too when a file is missing, and ends with 2', async () => {
    write({ 'a.yml': WRONG });
    const human = await validate(['none.yml', 'a.yml']);
    expect(human).toMatchObject({ exitCode: 2, err: expect.stringContaining('There is no configuration file none.yml.') });
    expect(human.out).toContain('a.yml: 1 error');
    const { out, exitCode } = await validate(['none.yml', 'a.yml', '--format', 'json']);
    expect(exitCode).toBe(2);
    expect(JSON.parse(out).files).toMatchObject([
      {
        file: 'none.yml',
        valid: false,
        coordination: null,
        diagnostics: [{ code: 'config-missing', line: 1, column: 1, hats: [], related: [] }],
      },
      { file: 'a.yml', diagnostics: [{ code: 'event-orphan' }] },
    ]);
  });

  it('lets warnings pass, but not with --strict', async () => {
    write({ 'ralph.yml': `zebra: 1\n${VALID}` });
    expect(await validate([])).toMatchObject({ exitCode: 0, out: expect.stringContaining('valid (hats: planner, builder), 1 warning\n') });
    expect(await validate(['--strict'])).toMatchObject({ exitCode: 1, out: expect.stringContaining('ralph.yml: 1 warning\n') });
    const { out } = await validate(['--strict', '--format', 'json']);
    expect(JSON.parse(out).files[0].valid).toBe(false);
  });

  it('reads standard input as if it were a file of a name', async () => {
    write({ 'hats/do.md': 'Do it.' });
    const stdin = VALID.replace('    publishes: [build.done]', '    publishes: [build.done]\n    instructions_file: do.md');
    expect(await validate(['-', '--stdin-name', 'hats/ralph.yml'], { stdin })).toMatchObject({
      exitCode: 0,
      out: expect.stringMatching(/^hats\/ralph\.yml: valid/),
    });
    expect(await validate(['-'], { stdin: WRONG })).toMatchObject({ exitCode: 1, out: expect.stringContaining('  at <stdin>:4:29\n') });
  });

  it('takes single settings beside files', async () => {
    write({ 'a.yml': VALID });
    expect(await validate(['a.yml', '-c', 'event_loop.max_iterations=none'])).toMatchObject({ exitCode: 1 });
  });

  it('passes no control character of a file or its name on', async () => {
    write({ 'a\u001b[31m.yml': 'name: "\\e[31m"\n"\\e[31mred": 1\n' });
    const { out } = await validate(['a\u001b[31m.yml']);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get through
    expect(out).not.toMatch(/[\u0000-\u0009\u000B-\u001F]/);
  });

  it.each([
    [['-', '--fix'], 'Standard input cannot be repaired.'],
    [['-', '-'], 'Standard input was named twice.'],
    [['-', '--watch'], 'Standard input cannot be watched.'],
    [['--fix', '--watch'], '--watch does not change files.'],
    [['--stdin-name', 'x'], '--stdin-name is for standard input.'],
    [['--format', 'xml'], 'Allowed choices are human, json, sarif, github'],
  ])('refuses %j', async (args, words) => {
    expect(await validate(args)).toMatchObject({ exitCode: 2, err: expect.stringContaining(words) });
  });
});

describe('ralph validate --format github', () => {
  it('writes commands of a workflow, escaped, and nothing for a valid file', async () => {
    write({ 'a,b:c.yml': WRONG, 'ok.yml': VALID });
    const { out } = await validate(['a,b:c.yml', 'ok.yml', '--format', 'github']);
    expect(out.split('\n')).toHaveLength(2);
    expect(out).toMatch(
      /^::error file=a%2Cb%3Ac\.yml,line=4,col=29,endLine=4,endColumn=41,title=ralph%3A event-orphan::Event 'deploy\.start' published by 'planner' has no subscriber\.%0AWhy: [^\n]*%0AFix: [^\n]*\n$/,
    );
  });
});

describe('ralph validate --format sarif', () => {
  it('has what code scanning asks for', async () => {
    write({ 'sub dir/a.yml': `zebra: 1\nname: a\nname: b\n${WRONG}` });
    const { out } = await validate(['sub dir/a.yml', '--format', 'sarif']);
    const log = JSON.parse(out);
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif') });
    const [run] = log.runs;
    const { rules } = run.tool.driver;
    for (const [index, rule] of rules.entries()) {
      expect(rule.id).toMatch(/^[a-z-]+$/);
      expect(rule.name).toMatch(/^[A-Z][A-Za-z]+$/);
      expect(rule.shortDescription.text).not.toBe('');
      expect(rule.fullDescription.text).not.toBe('');
      expect(rule.help).toEqual({ text: expect.stringContaining('## Why'), markdown: expect.stringContaining('## Why') });
      expect(new URL(rule.helpUri).pathname).toMatch(new RegExp(`/docs/rules/${rule.id}\\.md$`));
      for (const result of run.results.filter((one: { ruleId: string }) => one.ruleId === rule.id)) expect(result.ruleIndex).toBe(index);
    }
    expect(run.results.map((result: { ruleId: string; level: string }) => [result.ruleId, result.level])).toEqual([
      ['key-unknown', 'warning'],
      ['yaml-duplicate-key', 'error'],
      ['event-orphan', 'error'],
    ]);
    expect(run.results[1].locations).toEqual([
      {
        physicalLocation: {
          artifactLocation: { uri: 'sub%20dir/a.yml', uriBaseId: '%SRCROOT%' },
          region: { startLine: 3, startColumn: 1, endLine: 3, endColumn: 5 },
        },
      },
    ]);
    expect(run.results[1].relatedLocations).toMatchObject([
      { message: { text: 'It is here first.' }, physicalLocation: { region: { startLine: 2 } } },
    ]);
    expect(run.results.every((result: { partialFingerprints: object }) => Object.keys(result.partialFingerprints).length === 1)).toBe(true);
  });

  it('is a log without results for valid files', async () => {
    write({ 'a.yml': VALID });
    const { runs } = JSON.parse((await validate(['a.yml', '--format', 'sarif'])).out);
    expect(runs[0]).toMatchObject({ results: [], tool: { driver: { rules: [] } } });
  });
});

describe('ralph validate --fix', () => {
  it('repairs the file and says what it changed', async () => {
    write({ 'ralph.yml': SLIP });
    expect(await validate(['--fix'])).toEqual({
      exitCode: 0,
      out: 'fixed ralph.yml:7 rename `publish` to `publishes`\n\nralph.yml: valid (hats: planner, builder)\n',
      err: '',
    });
    expect(readFileSync(join(folder, 'ralph.yml'), 'utf8')).toBe(SLIP.replace('publish:', 'publishes:'));
  });

  it('tells programs what it changed', async () => {
    write({ 'a.yml': SLIP, 'b.yml': VALID });
    const { files } = JSON.parse((await validate(['a.yml', 'b.yml', '--fix', '--format', 'json'])).out);
    expect(files.map((file: { fixed: unknown }) => file.fixed)).toEqual([
      [{ file: 'a.yml', line: 7, title: 'rename `publish` to `publishes`' }],
      [],
    ]);
  });

  it('leaves what is not sure where nobody can be asked, and takes it all with --fix-all', async () => {
    write({ 'ralph.yml': WRONG });
    expect(await validate(['--fix'])).toMatchObject({ exitCode: 1 });
    expect(readFileSync(join(folder, 'ralph.yml'), 'utf8')).toBe(WRONG);
    expect(await validate(['--fix-all'])).toMatchObject({ exitCode: 0 });
    expect(readFileSync(join(folder, 'ralph.yml'), 'utf8')).toBe(`${WRONG}event_loop:\n  terminal_events: [deploy.start]\n`);
  });

  it('asks on a terminal', async () => {
    write({ 'ralph.yml': WRONG });
    expect(await validate(['--fix'], { ask: async () => '' })).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('  1. add "deploy.start" to terminal_events\n'),
    });
    expect(await validate(['--fix'], { ask: async () => '1' })).toMatchObject({ exitCode: 0 });
  });

  it('passes no control character on with what it changed', async () => {
    write({ 'a\u001b[31m.yml': `${SLIP}event_loop:\n  recovery_hat: planer\n` });
    const { out } = await validate(['a\u001b[31m.yml', '--fix']);
    expect(out).toContain('fixed a\uFFFD[31m.yml:7 rename');
    expect(out).not.toContain('\u001b');
  });

  it('repairs a named file anywhere, but nothing that is only imported from elsewhere', async () => {
    write({ 'work/x': '', 'team/ralph.yml': SLIP });
    const inside = { ...createFakeContext().context, cwd: join(folder, 'work') };
    expect(await performCommandLine(['validate', '--fix', '../team/ralph.yml'], inside)).toBe(0);
    write({
      'team/builder.yml': 'triggers: [build.task]\npublish: [build.done]\n',
      'work/ralph.yml': `${VALID.split('  builder:')[0]}  builder:\n    import: ../team/builder.yml\n`,
    });
    await performCommandLine(['validate', '--fix'], inside);
    expect(readFileSync(join(folder, 'team/builder.yml'), 'utf8')).toContain('publish:');
  });
});
