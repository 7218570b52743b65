import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { propertyRuns } from '../../core/property-fixtures.ts';
import { checkConfig } from '../../validation/check-config.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

const THEIRS = 'agent: claude\n';
const FOREIGN = fileURLToPath(new URL('../../../fixtures/foreign', import.meta.url));
const TOP_KEYS = [
  'agent: claude',
  'agent_args: [--fast]',
  'git_checkpoint: false',
  'checkpoint_interval: 3',
  'max_runtime: 60',
  'adapters: {kiro: {enabled: false, timeout: 3}}',
  'backpressure: {gates: [{name: t, command: npm test, on_fail: Mend it.}], on_build: strict}',
  'backpressure: {gates: [{name: t}]}',
  'gates: [{run: npm run lint}]',
  'gates: 5',
  'event_loop: {completion_promise: DONE, persistent: true}',
  'event_loop: &loop {idle_timeout_secs: 30}',
  'cli: {backend: kiro-acp, pty_mode: true}',
  'profiles: {h0_tools: {allow: [fs]}}',
  'RObot: {enabled: true}',
];
const HAT_KEYS = [
  'triggers: [task.start, task.resume]',
  'subscribes_to: [go]',
  'publishes: [go, LOOP_COMPLETE]',
  'default_publishes: LOOP_COMPLETE',
  'default_publishes: go',
  'disallowed_tools: [Edit, Bash]',
  'profile: critic',
  'backend: roo',
  'backend_args: [-x]',
  'extra_instructions: [More.]',
  'instructions: Do it.',
  'timeout: 5',
  'concurrency: 3',
];
const OURS = 'cli:\n  backend: claude\n';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ralph-migrate-'));
  writeFileSync(join(folder, 'a.yml'), THEIRS);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function toText({ top, hats }: { readonly top: readonly string[]; readonly hats: readonly (readonly string[])[] }): string {
  const blocks = hats.map((keys, index) => `  h${index}:${keys.length === 0 ? ' {}' : keys.map((key) => `\n    ${key}`).join('')}`);
  return `${[...top, ...(blocks.length === 0 ? [] : ['hats:', ...blocks])].join('\n')}\n`;
}

async function type(args: readonly string[], isTty = false) {
  const fake = createFakeContext({ isTty });
  const exitCode = await performCommandLine(['migrate', ...args], { ...fake.context, cwd: folder });
  return { exitCode, out: fake.out(), err: fake.err() };
}

function read(name: string): string {
  return readFileSync(join(folder, name), 'utf8');
}

it('names the file that was written as a shell takes it', async () => {
  expect((await type(['a.yml', '-o', 'new team.yml'])).err).toContain("Next: ralph validate 'new team.yml'\n");
});

it('says to write what it only printed', async () => {
  expect((await type(['a.yml'])).err).toContain('Next: write it, with ralph migrate a.yml -o ralph.yml, then ralph validate\n');
});

it('leaves to a person what held an agent of MassGen, and ends with 1', async () => {
  const agent = (id: string, more: string) => `  - {id: ${id}, backend: {type: openai, model: gpt-5${more}}}\n`;
  writeFileSync(join(folder, 'free.yml'), `agents:\n${agent('a', ', reasoning: {effort: high, summary: auto}')}${agent('b', '')}`);
  const free = await type(['free.yml']);
  expect([free.exitCode, free.out]).toEqual([0, expect.stringMatching(/effort: high/)]);
  expect(free.err).toContain('changed: agents.a.backend.reasoning.effort is now backend.effort of that agent.');
  expect(free.err).toContain('dropped: agents.a.backend.reasoning.summary was left out.');
  writeFileSync(
    join(folder, 'held.yml'),
    `agents:\n${agent('a', ', disallowed_tools: [Bash]')}${agent('b', ', enable_web_search: false')}`,
  );
  const held = await type(['held.yml']);
  expect(held.exitCode).toBe(1);
  expect(held.err).toContain(
    'left for you to change: agents.a.backend.disallowed_tools held the agent and was left out. Say it in a profile',
  );
  expect(held.err).toContain('left for you to change: agents.b.backend.enable_web_search was left out: deny `web_search`');
});

describe('ralph migrate --write', () => {
  it('keeps what was kept before', async () => {
    writeFileSync(join(folder, 'a.yml.old'), 'precious');
    symlinkSync('nowhere', join(folder, 'a.yml.old2'));
    expect((await type(['a.yml', '--write'])).exitCode).toBe(0);
    expect([read('a.yml'), read('a.yml.old'), read('a.yml.old3')]).toEqual([OURS, 'precious', THEIRS]);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'a.yml.old', 'a.yml.old2', 'a.yml.old3']);
  });

  it('keeps the mode, for the copy too', async () => {
    chmodSync(join(folder, 'a.yml'), 0o600);
    await type(['a.yml', '--write']);
    expect(['a.yml', 'a.yml.old'].map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600]);
  });

  it('writes what a link leads to, and keeps the link', async () => {
    symlinkSync('a.yml', join(folder, 'link.yml'));
    await type(['link.yml', '--write']);
    expect(lstatSync(join(folder, 'link.yml')).isSymbolicLink()).toBe(true);
    expect([read('a.yml'), read('link.yml.old')]).toEqual([OURS, THEIRS]);
  });

  it('goes past a folder in the place of the copy', async () => {
    mkdirSync(join(folder, 'a.yml.old'));
    expect((await type(['a.yml', '--write'])).exitCode).toBe(0);
    expect(read('a.yml.old2')).toBe(THEIRS);
  });
});

describe('ralph migrate', () => {
  it('reads regular files of UTF-8 text alone', async () => {
    execFileSync('mkfifo', [join(folder, 'ff.fifo')]);
    writeFileSync(join(folder, 'latin.yml'), Buffer.from([0x61, 0x3a, 0x20, 0xe9, 0x0a]));
    mkdirSync(join(folder, 'folder'));
    for (const name of ['ff.fifo', '/dev/zero', 'latin.yml', 'folder', 'missing.yml']) {
      const { exitCode, err } = await type([name]);
      expect([name, exitCode, err]).toEqual([name, 2, expect.stringMatching(/cannot be read: it is (no|not|a) /)]);
    }
  });

  it('does not write over a file, nor through a link to nowhere', async () => {
    symlinkSync('outside.yml', join(folder, 'link.yml'));
    writeFileSync(join(folder, 'b.yml'), 'mine');
    for (const name of ['b.yml', 'link.yml']) expect((await type(['a.yml', '-o', name])).exitCode).toBe(2);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'b.yml', 'link.yml']);
    expect(read('b.yml')).toBe('mine');
  });

  it('refuses what has errors, with the findings', async () => {
    writeFileSync(join(folder, 'twice.yml'), 'agent: claude\nagent: codex\n');
    expect(await type(['twice.yml', '--write'])).toMatchObject({ exitCode: 1, out: '', err: expect.stringContaining('twice.yml:2') });
    expect(readdirSync(folder)).not.toContain('twice.yml.old');
  });

  it('prints and writes what is ours already, and says so', async () => {
    writeFileSync(join(folder, 'ours.yml'), OURS);
    const { exitCode, out, err } = await type(['ours.yml', '-o', 'new.yml']);
    expect([exitCode, out, read('new.yml')]).toEqual([0, '', OURS]);
    expect(err).toContain('nothing to do, it is a current Ralph configuration.');
    expect((await type(['ours.yml'])).err).toContain('Next: ralph validate ours.yml\n');
    expect((await type(['ours.yml'])).out).toBe(OURS);
    await type(['ours.yml', '--write']);
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'new.yml', 'ours.yml']);
  });

  it('writes no file that does not run, says what is to be mended, and still prints the text', async () => {
    const lost = 'hats:\n  a: {triggers: [task.start, task.resume], publishes: [go], timeout: 5}\n  b: {triggers: [went]}\n';
    writeFileSync(join(folder, 'lost.yml'), lost);
    for (const args of [['-o', 'new.yml'], ['--write']]) {
      const { exitCode, err } = await type(['lost.yml', ...args]);
      expect(exitCode).toBe(1);
      expect(err).toContain('[event-orphan]');
      expect(err).toMatch(/Nothing was written: .*Fix lost\.yml and migrate it again, or print it .*ralph migrate lost\.yml/s);
      expect(err).not.toMatch(/^(Written|Next)/m);
    }
    expect(readdirSync(folder).sort()).toEqual(['a.yml', 'lost.yml']);
    expect(read('lost.yml')).toBe(lost);
    const { exitCode, out } = await type(['lost.yml']);
    expect([exitCode, out]).toEqual([1, expect.stringContaining('timeout_seconds: 5')]);
  });

  it('checks the text where it is to lie', async () => {
    mkdirSync(join(folder, 'old'));
    writeFileSync(join(folder, 'old', 'a.md'), 'Do it.');
    writeFileSync(
      join(folder, 'old', 'a.yml'),
      'agent: claude\nhats: {a: {triggers: [task.start, task.resume], publishes: [LOOP_COMPLETE], instructions_file: a.md}}\n',
    );
    expect(await type(['old/a.yml', '-o', 'new.yml'])).toMatchObject({ exitCode: 1, err: expect.stringContaining('[instructions-file]') });
    expect((await type(['old/a.yml', '-o', 'old/new.yml'])).exitCode).toBe(0);
  });

  it('names what is not read and what instructions call in vain', async () => {
    writeFileSync(
      join(folder, 'v1.yml'),
      'agent: claude\nwarp_speed: 9\nhats: {a: {triggers: [task.start, task.resume], publishes: [LOOP_COMPLETE], instructions: Run ralph tools task list.}}\n',
    );
    const { exitCode, err } = await type(['v1.yml', '-o', 'new.yml']);
    expect([exitCode, existsSync(join(folder, 'new.yml'))]).toEqual([1, true]);
    expect(err).toContain('left for you to change: Unknown key "warp_speed".');
    expect(err).toMatch(/left for you to change: .*`ralph tools task`, which is no command here\./);
  });

  it('never writes a file that does not validate, nor makes an error that was not there', async () => {
    const check = (text: string) => {
      const cwd = join(folder, 'check');
      mkdirSync(cwd, { recursive: true });
      writeFileSync(join(cwd, 'ralph.yml'), text);
      const { diagnostics } = checkConfig({ cwd, env: {}, prompt: 'optional' });
      return diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code);
    };
    const samples = readdirSync(FOREIGN).filter((name) => name.endsWith('.yml'));
    const corpus = fc.constantFrom(...samples).map((name) => readFileSync(join(FOREIGN, name), 'utf8'));
    const made = fc.record({ top: fc.subarray(TOP_KEYS), hats: fc.array(fc.subarray(HAT_KEYS), { maxLength: 3 }) }).map(toText);
    await fc.assert(
      fc.asyncProperty(fc.oneof(corpus, { weight: 5, arbitrary: made }), async (text) => {
        writeFileSync(join(folder, 'x.yml'), text);
        rmSync(join(folder, 'out.yml'), { force: true });
        const { exitCode } = await type(['x.yml', '-o', 'out.yml']);
        const isWritten = existsSync(join(folder, 'out.yml'));
        if (isWritten) expect(check(read('out.yml'))).toEqual([]);
        else expect(exitCode).toBe(1);
        const printed = await type(['x.yml']);
        if (printed.out !== '') expect(check(text)).toEqual(expect.arrayContaining(check(printed.out)));
      }),
      { numRuns: propertyRuns(60) },
    );
  });

  it('says what it cannot change', async () => {
    writeFileSync(join(folder, 'merge.yml'), 'base: &b {timeout: 5}\nhats: {a: {<<: *b, triggers: [task.start]}}\n');
    const { exitCode, out, err } = await type(['merge.yml']);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toMatch(/hats\.a\.timeout[\s\S]*nothing was written\..*by hand/);
  });

  it('passes nothing on that steers a terminal', async () => {
    writeFileSync(
      join(folder, 'evil\u001b[31m.yml'),
      `agent: claude\nhats:\n  "a\\e[2J\\u202e": {triggers: [x], timeout: 5}\n# \u202e\u009b2J\n`,
    );
    const { err, out } = await type(['evil\u001b[31m.yml'], true);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not get through
    expect(err + out).not.toMatch(/[\u001b\u009b\u202e]/);
    expect(err).toContain('hats.');
    writeFileSync(join(folder, 'ours\u001b[31m.yml'), OURS);
    expect((await type(['ours\u001b[31m.yml'])).err).toMatch(/^ours\.yml: nothing to do/);
  });
});
