import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-config-command-'));

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** Types `ralph config …` in a folder with these files. */
async function type(args: readonly string[], files: Readonly<Record<string, string>> = {}, env: Readonly<Record<string, string>> = {}) {
  const cwd = mkdtempSync(join(FOLDER, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  const fake = createFakeContext({ env });
  const exitCode = await performCommandLine(['config', ...args], { ...fake.context, cwd });
  return { exitCode, out: fake.out(), err: fake.err(), cwd };
}

const FILES = {
  'ralph.yml': 'event_loop:\n  max_iterations: 30\nhats:\n  a:\n    import: hats/a.yml\n',
  'hats/a.yml': 'triggers: [task.start]\ndescription: "A \\u001b[31m red one"\n',
};

describe('ralph config show', () => {
  it('prints the settings in force as a file, and so does `ralph config` alone', async () => {
    const { exitCode, out, err } = await type(['show'], FILES);
    expect([exitCode, err]).toEqual([0, '']);
    expect(out).toContain('\n  max_iterations: 30\n');
    expect(out).toContain('\nhats:\n  a:\n');
    expect((await type([], FILES)).out).toBe(out);
    expect((await type(['--format', 'yaml'], FILES)).out).toBe(out);
    expect((await type([], { 'ralph.yml': out })).out).toBe(out);
  });

  it('passes nothing on that steers a terminal, and loses nothing of it', async () => {
    const text = 'a\u009b2J\u202eb\u2066c';
    const block = `${text}\nmore\n`;
    const files = { 'ralph.yml': `cli: {model: ${JSON.stringify(text)}}\nevent_loop: {prompt: ${JSON.stringify(block)}}\n` };
    for (const args of [[], ['--origin'], ['--format', 'json']]) {
      const { exitCode, out } = await type(['show', ...args], files);
      expect([exitCode, out]).toEqual([0, expect.not.stringMatching(/[\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)]);
    }
    const { out } = await type(['show', '--format', 'json'], files);
    expect(JSON.parse(out).settings).toMatchObject({ cli: { model: text }, event_loop: { prompt: block } });
    const shown = (await type(['show'], files)).out;
    expect((await type(['show'], { 'ralph.yml': shown })).out).toBe(shown);
  });

  it('with --origin says of each setting where it came from', async () => {
    const args = ['show', '--origin', '-c', 'event_loop.on_limit=stop', '--max-cost', '5', '-b', 'codex'];
    const { out } = await type(args, FILES, { RALPH_CONFIG_MODEL: 'm' });
    const rows = out.split('\n').map((line) => line.replace(/ {2,}/, '  '));
    for (const row of [
      'event_loop.max_iterations = 30  ralph.yml:2:19',
      'event_loop.routing = exclusive  default',
      'event_loop.on_limit = stop  -c event_loop.on_limit=stop',
      'event_loop.max_cost_usd = 5  --max-cost',
      'cli.backend = codex  --backend',
      'cli.model = m  RALPH_CONFIG_MODEL',
      'hats.a.triggers = ["task.start"]  hats/a.yml:1:1',
    ])
      expect(rows).toContain(row);
    expect(out).not.toContain('\u001b[31m');
  });

  it('gives programs the tree and the list', async () => {
    const { out } = await type(['--format', 'json', '-c', 'prices."gpt-4.1"={input: 1, output: 2}'], FILES);
    const { v, files, settings, values } = JSON.parse(out) as Record<string, unknown> & { values: readonly { key: string }[] };
    expect([v, files]).toEqual([1, ['ralph.yml']]);
    expect(settings).toMatchObject({ event_loop: { max_iterations: 30 }, hats: { a: { triggers: ['task.start'] } } });
    expect(values).toContainEqual({
      key: 'event_loop.max_iterations',
      value: 30,
      origin: { from: 'file', file: 'ralph.yml', line: 2, column: 19 },
    });
    expect(values).toContainEqual({ key: 'core.state_dir', value: '.ralph', origin: { from: 'default' } });
    expect(values.map((entry) => entry.key)).toContain('prices."gpt-4.1".input');
  });

  it('shows what is wrong instead, and ends with 1', async () => {
    const { exitCode, out, err } = await type(['--origin', '-c', 'event_loop.max_iterations=abc'], FILES);
    expect([exitCode, out]).toEqual([1, '']);
    expect(err).toContain('at -c event_loop.max_iterations=abc:1:27');
  });

  it('keeps silent about warnings', async () => {
    expect(await type([], { 'ralph.yml': 'zebra: 1\n' })).toMatchObject({ exitCode: 0, err: '' });
  });

  it.each([
    [['nonsense'], /knows no "nonsense"/],
    [['--origin', '--format', 'yaml'], /no place in YAML/],
    [['-c', 'no.yml'], /There is no configuration file no\.yml/],
    [['--hats', 'preset:nothing-like-it'], /There is no preset "nothing-like-it"/],
    [['-c', 'a/b=c'], /if a setting was meant/],
  ])('refuses %j', async (args, message) => {
    const { exitCode, err } = await type(args, FILES);
    expect(exitCode).toBe(2);
    expect(err).toMatch(message);
  });

  it('takes a setting for a setting, whatever files there are; a path says that a file is meant', async () => {
    const name = 'event_loop.max_iterations=7';
    const files = { ...FILES, [name]: 'event_loop: {max_iterations: 3}' };
    const limitOf = async (value: string): Promise<unknown> =>
      JSON.parse((await type(['-c', value, '--format', 'json'], files)).out).settings.event_loop.max_iterations;
    expect([await limitOf(name), await limitOf(`./${name}`)]).toEqual([7, 3]);
  });
});

describe('ralph config schema', () => {
  it('prints the schema for editors', async () => {
    const { exitCode, out } = await type(['schema']);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ type: 'object', properties: { event_loop: { properties: { max_iterations: {} } } } });
  });
});
