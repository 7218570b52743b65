import { describe, expect, it } from 'vitest';
import { RalphError } from '../core/values/errors.ts';
import { COMMAND_NAMES } from './args/command-table.ts';
import { declareAll, performCommandLine } from './command-line.ts';
import { createFakeApp, createFakeContext, type FakeWorld } from './fixtures.ts';
import { loadCommand } from './whole-command.ts';

async function type(args: readonly string[], world: FakeWorld = {}) {
  const fake = createFakeContext(world);
  const exitCode = await performCommandLine(args, fake.context);
  return { exitCode, out: fake.out(), err: fake.err() };
}

describe('ralph --help', () => {
  it('tells about twelve commands at most, names the others by what is done with them, and the exit codes', async () => {
    const { exitCode, out } = await type(['--help']);
    expect(exitCode).toBe(0);
    const [told = '', more = ''] = out.slice(out.indexOf('Commands')).split('\n\n');
    const names = [...told.matchAll(/^ {2}([a-z]+) {2}/gm)].map((match) => match[1]);
    expect(names.length).toBeLessThanOrEqual(12);
    expect(names).toContain('run');
    const others = COMMAND_NAMES.filter((name) => !names.includes(name));
    for (const name of others) expect(more).toMatch(new RegExp(`\\b${name}\\b`));
    expect(out).toMatch(/^ {2}130 interrupted$/m);
  });

  it('has a page for each group of commands, and one for all', async () => {
    const topics = [...(await type(['--help'])).out.matchAll(/^ {2}([a-z]+) {2,}([a-z]+, [\s\S]*?)\n(?=\n| {2}[a-z])/gm)];
    expect(topics.map((match) => match[1])).toEqual(['design', 'look', 'publish', 'keep']);
    const all = await type(['help', 'all']);
    for (const [, topic = '', list = ''] of topics) {
      const { exitCode, out } = await type(['help', topic]);
      const names = [...out.matchAll(/^ {2}([a-z]+) {2}/gm)].map((match) => match[1]);
      expect({ exitCode, names }).toEqual({ exitCode: 0, names: list.split(/,\s+/) });
      expect(all.out).toContain(out.split('\n\n')[0]);
    }
    for (const name of COMMAND_NAMES) expect(all.out).toMatch(new RegExp(`^  ${name} `, 'm'));
    expect(await type(['design'])).toMatchObject({ exitCode: 2, err: expect.stringContaining('Did you mean `ralph help design`?') });
  });

  it.each(COMMAND_NAMES)('%s --help says what it does and has examples', async (name) => {
    const { exitCode, out, err } = await type([name, '--help']);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toContain(`Usage: ralph ${name}`);
    expect(out).toMatch(new RegExp(`Examples:\\n {2}.*ralph ${name}`));
    await expect(type(['help', name])).resolves.toMatchObject({ exitCode: 0, out });
  });

  const helps = [['--help'], ['help', 'all'], ...COMMAND_NAMES.map((name) => [name, '--help'])];

  it.each(helps.flatMap((args) => [80, 60].map((columns) => [args.join(' '), columns, args] as const)))(
    'ralph %s keeps within a terminal of %i columns, and what is to be typed in one line',
    async (_, columns, args) => {
      const lines = (await type(args, { isTty: true, columns })).out.split('\n');
      // A line that is to be copied stays whole where it alone is wider than the terminal.
      const isTyped = (line: string): boolean => /^ {2}(?:\S.*)?\bralph\b/.test(line) && !line.trim().includes('  ');
      expect(lines.filter((line) => line.length > columns && (columns === 80 || !isTyped(line)))).toEqual([]);
      const wide = (await type(args, { isTty: true, columns: 300 })).out;
      const typed = [...wide.slice(wide.indexOf('Examples:')).matchAll(/^ {2}(\S.*?)(?: {2,}|$)/gm)].map((match) => match[1] ?? '');
      for (const words of typed.filter((text) => text.includes('ralph'))) expect(lines.join('\n')).toContain(words);
    },
  );

  it('keeps within 80 columns where nobody says how wide it is', async () => {
    for (const args of helps) expect((await type(args)).out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('knows every option of the specification', async () => {
    const flags = new Map(
      (await declareAll({ loadCommand })).map(({ name, command }) => [name, command.options.flatMap(({ short, long }) => [short, long])]),
    );
    expect(flags.get('run')).toEqual(
      expect.arrayContaining([
        ...[
          '-p',
          '-P',
          '-c',
          '-b',
          '--model',
          '--max-iterations',
          '--max-cost',
          '--max-runtime',
          '--hat',
          '--once',
          '--worktree',
          '--in-place',
          '--safe',
          '--no-safe',
        ],
        ...['--dry-run', '--format', '-q', '-v', '--continue', '--no-tui', '--nested', '--accept-changes', '--detach'],
      ]),
    );
    expect(flags.get('resume')).toEqual(
      expect.arrayContaining(['--max-iterations', '--max-cost', '--max-runtime', '--accept-changes', '--no-tui']),
    );
    expect(flags.get('show')).toEqual([
      ...['--prompt', '--output', '--diff', '--stat', '--events'].flatMap((flag) => [undefined, flag]),
      '-f',
      '--follow',
      ...[undefined, '--fleet'],
      ...[undefined, '--run'],
    ]);
    expect(flags.get('events')).toEqual(expect.arrayContaining(['--topic', '--hat', '--iteration', '--last', '--follow', '--format']));
    expect(flags.get('emit')).toEqual(expect.arrayContaining(['--json', '--target']));
  });
});

describe('usage errors', () => {
  it.each([
    ['an unknown command, with the nearest one', ['rnu'], /no command "rnu"[\s\S]*Did you mean `ralph run`\?/],
    [
      'words that are no command, with all of them as the task',
      ['make', 'it', "don't"],
      /no command "make"[\s\S]*ralph run -p "make it don't"\n/,
    ],
    ['words that are no command, without options behind them', ['make', 'it', '-v'], /ralph run -p "make it"\n/],
    ['an unknown command that is like none', ['fix'], /no command "fix"[\s\S]*ralph run -p "fix"/],
    [
      'an unknown option, with the nearest one',
      ['run', '--max-iteration', '3'],
      /Unknown option '--max-iteration'[\s\S]*Did you mean --max-iterations\?/,
    ],
    ['a value that is missing', ['run', '-p'], /argument missing/],
    ['a value that is not one of the choices', ['events', '--format', 'xml'], /Allowed choices are table, json/],
    ['an argument too many', ['runs', 'all'], /too many arguments/i],
    [
      'a hat that is named without its option',
      ['tools', 'critic'],
      /too many arguments[\s\S]*ralph tools --hat critic\n.*ralph tools --profile critic\n/i,
    ],
    ['a missing argument', ['emit'], /missing required argument 'topic'/i],
    ['a command behind its options', ['-c', 'x.yml', 'status'], /The command comes first: ralph status/],
  ])('explain %s and end with 2', async (_name, args, message) => {
    const { exitCode, out, err } = await type(args);
    expect(exitCode).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(message);
    expect(err).toMatch(/^ralph: .*\n {2}Fix: /);
  });
});

describe('no command', () => {
  it.each([[[]], [['-p', 'Make the tests pass']], [['Make the tests pass']]])('%j means run', async (args) => {
    const app = createFakeApp();
    await type(args, { app });
    expect(app.calls.map((call) => (call as unknown[])[0])).toContain('startRunHere');
  });
});

describe('errors', () => {
  const failWith = (error: unknown, env: Readonly<Record<string, string>> = {}) =>
    type(['runs'], {
      env,
      app: {
        summariseRuns: () => {
          throw error;
        },
      },
    });

  it('are shown as what, why and fix, without a stack, with their exit code', async () => {
    const error = new RalphError({ code: 'x', what: 'It broke.', why: 'It was thin.', fix: 'Mend it.\nThen again.', exitCode: 2 });
    await expect(failWith(error)).resolves.toEqual({
      exitCode: 2,
      out: '',
      err: 'ralph: It broke.\n  Why: It was thin.\n  Fix: Mend it.\n       Then again.\n',
    });
  });

  it('that nobody foresaw ask for a report, and show their stack on demand only', async () => {
    const { exitCode, err } = await failWith(new TypeError('x is not a function'));
    expect(exitCode).toBe(1);
    expect(err).toContain('something went wrong inside Ralph: x is not a function');
    expect(err).toContain('Please report it');
    expect(err).not.toContain('.test.ts');
    expect((await failWith(new TypeError('x'), { RALPH_DEBUG: '1' })).err).toContain('command-line.test.ts');
  });

  it('of the system are no defects of Ralph', async () => {
    const { exitCode, err } = await failWith(Object.assign(new Error('EACCES: permission denied, open x'), { code: 'EACCES' }));
    expect({ exitCode, err }).toEqual({ exitCode: 1, err: 'ralph: EACCES: permission denied, open x\n' });
  });

  it('never hand control characters to the terminal', async () => {
    expect((await failWith(new RalphError({ code: 'x', what: 'a\u001b[2Jb' }))).err).toBe('ralph: ab\n');
  });
});

describe('an output that nobody reads any more', () => {
  it('ends the command quietly', async () => {
    const app = createFakeApp();
    await expect(type(['events'], { app, closedAfter: 2 })).resolves.toMatchObject({ exitCode: 0, err: '' });
  });

  it('is an error when the disk is full', async () => {
    await expect(type(['--help'], { failure: 'ENOSPC' })).resolves.toMatchObject({
      exitCode: 1,
      err: 'ralph: the output could not be written (ENOSPC).\n',
    });
  });
});

describe('a word that is no command', () => {
  it.each([
    ['ls', 'ralph runs'],
    ['list', 'ralph runs'],
    ['logs', 'ralph show --follow'],
    ['attach', 'ralph watch'],
    ['continue', 'ralph resume'],
    ['diff', 'ralph show --diff'],
    ['version', 'ralph --version'],
    ['kill', 'ralph stop --now'],
    ['ui', 'ralph web'],
    ['tui', 'ralph run'],
    ['plan', 'ralph run --dry-run'],
  ])('is answered with the command that does it: %s', async (word, command) => {
    const fake = createFakeContext();
    expect(await performCommandLine([word], fake.context)).toBe(2);
    expect(fake.err()).toContain(`Did you mean \`${command}\`?`);
  });

  it('is answered with an option that there is, each time', async () => {
    for (const word of ['ls', 'logs', 'diff', 'kill', 'plan', 'wt', 'fix', 'test']) {
      const fake = createFakeContext();
      await performCommandLine([word], fake.context);
      const [name = '', option = ''] = /`ralph (\S+) (--\S+)`/.exec(fake.err())?.slice(1) ?? [];
      if (name === '') continue;
      const help = createFakeContext();
      await performCommandLine([name, '--help'], help.context);
      expect(help.out()).toContain(option);
    }
  });

  it('may be --version with two letters changed round', async () => {
    const fake = createFakeContext();
    expect(await performCommandLine(['--versoin'], fake.context)).toBe(2);
    expect(fake.err()).toContain('Did you mean --version?');
    expect(fake.err()).not.toContain('--verbose');
  });
});

describe('a run', () => {
  /** Commands whose first word is a run. */
  const TAKE_RUN = [
    'asks',
    'events',
    'land',
    'pr',
    'report',
    'resume',
    'review',
    'show',
    'status',
    'stop',
    'token',
    'undo',
    'watch',
    'web',
  ];
  const OTHERS = ['answer', 'panel', 'tell'];
  /** Its words are a topic and a payload. */
  const AS_OPTION_ALONE = ['emit'];

  it('may be said with --run wherever it may be said as a word, and as a word wherever with --run, but for that of an event', async () => {
    const { context } = createFakeContext();
    const all = await declareAll({ ...context, loadCommand });
    const withOption = all.filter(({ command }) => command.options.some(({ flags }) => flags === '--run <run>'));
    expect(withOption.map(({ name }) => name as string).sort()).toEqual([...TAKE_RUN, ...OTHERS, ...AS_OPTION_ALONE].sort());
  });

  const callOf = async (args: readonly string[]) => {
    const runs: unknown[] = [];
    const base = createFakeApp();
    const openRunReader: typeof base.openRunReader = (cwd, run, env) => {
      runs.push(run);
      return base.openRunReader?.(cwd, run, env) as never;
    };
    const heard = { runId: 'r', id: 'c1', isRunAlive: true, tell: null, question: null } as const;
    const tellRun = async (_cwd: string, told: { readonly text: string }, _env: unknown, run?: string) => {
      runs.push([told.text, run]);
      return heard;
    };
    const answerRun = async (_cwd: string, answer: object, _env: unknown, run?: string) => {
      runs.push([answer, run]);
      return heard;
    };
    const result = await type(args, { app: { ...base, openRunReader, tellRun, answerRun } });
    return { ...result, first: runs[0] };
  };

  it('is the same as a word and as an option', async () => {
    for (const args of [
      ['show', '20261121-22'],
      ['show', '--run', '20261121-22'],
      ['status', '--run', '20261121-22'],
    ])
      expect((await callOf(args)).first).toBe('20261121-22');
    const both = [await callOf(['show', '20261121-22', '1']), await callOf(['show', '1', '--run', '20261121-22'])];
    expect(both[0]?.out).toContain('iteration 1');
    expect(both[1]).toEqual(both[0]);
    for (const args of [
      ['tell', '20261121-22', 'use it'],
      ['tell', 'use it', '--run', '20261121-22'],
    ])
      expect((await callOf(args)).first).toEqual(['use it', '20261121-22']);
    for (const args of [
      ['answer', '20261121-22', 'q3', 'no'],
      ['answer', 'q3', 'no', '--run', '20261121-22'],
    ])
      expect((await callOf(args)).first).toEqual([{ question: 'q3', choice: 'no' }, '20261121-22']);
  });

  it('is not said twice, and no word of an answer is taken for one', async () => {
    for (const args of [
      ['status', 'a', '--run', 'b'],
      ['tell', 'a', 'text', '--run', 'b'],
      ['answer', 'q1', 'the', 'second'],
    ])
      expect(await callOf(args)).toMatchObject({ exitCode: 2, first: undefined });
  });
});
