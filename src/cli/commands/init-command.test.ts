import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AppApi } from '../cli-command.ts';
import { performCommandLine } from '../command-line.ts';
import { createFakeContext } from '../fixtures.ts';
import { askChoice } from './init-command.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

type Order = Parameters<AppApi['initProject']>[0];
type Initialised = ReturnType<AppApi['initProject']>;

const MADE: Initialised = {
  written: ['ralph.yml', 'PROMPT.md'],
  hats: ['builder', 'reviewer'],
  gate: null,
  wantsOther: false,
  otherBackend: null,
  native: null,
  isTaskOpen: true,
};

/** Types a command line; on a terminal where there are answers. */
async function type(
  args: readonly string[],
  answers: readonly string[] | null = null,
  made: Partial<Initialised> = {},
  installed: readonly string[] = ['claude', 'codex'],
) {
  const orders: Order[] = [];
  const left = [...(answers ?? [])];
  const app: Partial<AppApi> = {
    checkInit: () => undefined,
    listAvailable: () => installed as ReturnType<AppApi['listAvailable']>,
    listNativeModels: () => [{ model: 'gpt-5.5', key: 'OPENAI_API_KEY', hasKey: true }],
    hasTask: () => false,
    findInitPlace: async () => null,
    findDefaultGate: () => ({ command: 'npm test', from: 'package.json' }),
    initProject: (order) => {
      orders.push(order);
      return { ...MADE, ...made };
    },
  };
  const questions: string[] = [];
  const ask = async (question: string) => {
    questions.push(question);
    return left.shift() ?? '';
  };
  const fake = createFakeContext({ app, isTty: answers !== null, columns: 80, ask: answers === null ? null : ask });
  const exitCode = await performCommandLine(['init', ...args], fake.context);
  const [order] = orders;
  return {
    exitCode,
    out: fake.out(),
    err: fake.err(),
    asked: [order?.preset, order?.backend],
    model: order?.model,
    work: [order?.task, order?.gate],
    left,
    questions,
  };
}

describe('ralph init', () => {
  it('without a terminal asks nothing and takes the defaults', async () => {
    expect(await type([])).toMatchObject({ exitCode: 0, asked: [undefined, undefined], err: '' });
  });

  it('on a terminal asks which team and which of the installed agents', async () => {
    const { asked, err } = await type([], ['debug', '3']);
    expect(asked).toEqual(['debug', 'codex']);
    expect(err.replace(/\s+/g, ' ')).toMatch(
      /1\) none: one agent does everything 2\) best-of-n 3\) debug.*1\) any: .*2\) claude 3\) codex 4\) native/,
    );
  });

  it('offers the built-in agent, and then asks which model', async () => {
    const { asked, model, err } = await type([], ['tdd', 'native', '1']);
    expect([asked, model]).toEqual([['tdd', 'native'], 'gpt-5.5']);
    expect(err).toContain('key: OPENAI_API_KEY, which is set');
  });

  it('takes a model for a sign that the built-in agent is meant, and says where its key is read', async () => {
    const native = { model: 'claude-sonnet-5', key: 'ANTHROPIC_API_KEY', hasKey: false };
    const { asked, model, out } = await type(['--preset', 'tdd', '--model', 'claude-sonnet-5'], null, { native });
    expect([asked, model]).toEqual([['tdd', 'native'], 'claude-sonnet-5']);
    expect(out).toContain('read from ANTHROPIC_API_KEY, which is not set: export ANTHROPIC_API_KEY=…');
  });

  it('hands on the model of the agent that was named, and asks for no other', async () => {
    const { asked, model, questions } = await type(['-b', 'claude', '--model', 'opus'], ['', '', '']);
    expect([asked, model]).toEqual([[undefined, 'claude'], 'opus']);
    expect(questions.join(' ')).not.toContain('model');
  });

  it('takes empty answers for one agent, whichever is found', async () => {
    expect(await type([], ['', ''])).toMatchObject({ exitCode: 0, asked: [undefined, undefined] });
  });

  it('fills no more than a screen of 24 rows, whatever is asked and told', async () => {
    const made: Partial<Initialised> = { wantsOther: true, gate: { command: 'npm test', from: 'package.json' } };
    const many = ['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen'];
    const { out, err, questions } = await type([], ['debug', '', 'Mend the login.', ''], made, many);
    // Where the tests lie is no matter of this: the guides are told as of a usual place.
    const told = (out + err).replaceAll(ROOT, '/usr/local/lib/node_modules/ralph-hats');
    const rows = told.split('\n').flatMap((line) => [...Array(Math.max(1, Math.ceil(line.length / 80)))]).length;
    expect(rows + questions.length).toBeLessThanOrEqual(24);
    expect(err).toContain('`ralph presets` says what each is for');
    expect(out).toContain('docs/guide/configuration.md');
  });

  it('without an agent CLI offers the built-in agent and says what to install, never the first that is found', async () => {
    const { err, asked, out } = await type([], ['', 'later', '', ''], {}, []);
    expect(err).not.toContain('first that is found');
    expect(err).toMatch(/No agent CLI is installed[\s\S]*1\) native/);
    expect(asked).toEqual([undefined, undefined]);
    expect(out.replace(/\s+/g, ' ')).toMatch(/Agent: none is installed\. .*npm install -g @anthropic-ai\/claude-code.*--backend native/);
    expect((await type([], null, {}, [])).out).toContain('Agent: none is installed.');
    expect((await type(['-b', 'claude'], null, {}, [])).out).not.toContain('none is installed');
  });

  it('without an agent CLI keeps team and gate in the command that writes the built-in agent down', async () => {
    const told = async (...given: Parameters<typeof type>) => (await type(...given)).out.replace(/\s+/g, ' ');
    expect(await told([], ['feature', 'later', 'Mend it.', ''], {}, [])).toContain('ralph init --preset feature --backend native --force ');
    expect(await told([], ['feature', 'later', 'Mend it.', 'make a b'], {}, [])).toContain(
      "ralph init --preset feature --gate 'make a b' --backend native --force ",
    );
    expect(await told(['--gate', 'none'], null, {}, [])).toContain('ralph init --gate none --backend native --force ');
    expect(await told([], ['', 'later', '', ''], {}, [])).toContain('ralph init --backend native --force ');
  });

  it('asks with a preset for what was not said besides', async () => {
    const { questions, err, work } = await type(['--preset', 'tdd', '-b', 'codex', '--gate', 'none'], ['Mend it.', 'unasked']);
    expect([questions.length, err, work]).toEqual([1, '', ['Mend it.', null]]);
  });

  it('asks nothing that was said', async () => {
    expect(await type(['-b', 'gemini'], ['feature', '', '', 'unasked'])).toMatchObject({ asked: ['feature', 'gemini'], left: ['unasked'] });
    expect(await type(['--preset', 'tdd'], ['codex', '', '', 'unasked'])).toMatchObject({ asked: ['tdd', 'codex'], left: ['unasked'] });
  });

  it('on a terminal asks for the task and the proving command, and offers the one that it found', async () => {
    expect(await type([], ['', '', 'Mend the login.', 'make check'])).toMatchObject({ work: ['Mend the login.', 'make check'] });
    expect(await type([], ['', '', '', ''])).toMatchObject({ work: [undefined, undefined] });
    expect(await type([], ['', '', '', 'none'])).toMatchObject({ work: [undefined, null] });
  });

  it('takes task and proving command from the command line, and then does not ask for them', async () => {
    const said = ['--task', 'Mend it.', '--gate', 'make check'];
    expect(await type(said, ['', '', 'unasked'])).toMatchObject({ work: ['Mend it.', 'make check'], left: ['unasked'] });
    expect(await type([...said, '--preset', 'tdd'])).toMatchObject({ work: ['Mend it.', 'make check'] });
    expect(await type(['--gate', 'none'])).toMatchObject({ work: [undefined, null] });
  });

  it('says that there is no gate, and where there is one', async () => {
    expect((await type([])).out).toContain('Gate: none');
    expect((await type([], null, { gate: { command: 'make check', from: null }, isTaskOpen: false })).out).toMatch(
      /runs `make check` itself before work counts\.\n[\s\S]*\nNext: ralph validate/,
    );
  });

  it('says that the team brings a gate, and whether its command is known', async () => {
    const tell = async (command: string) => (await type(['--preset', 'best-of-n'], null, { gate: { command, from: 'preset' } })).out;
    expect(await tell('npm test')).toContain('Gate: the preset’s own. Ralph runs `npm test` itself before work counts.');
    expect((await tell('tests')).replace(/\s+/g, ' ')).toContain(
      'Ralph runs the tests of the project itself before work counts; no command',
    );
  });

  it('says what comes next, and the gate that it found', async () => {
    const { out } = await type(['--preset', 'feature'], null, { gate: { command: 'cargo test', from: 'Cargo.toml' } });
    expect(out).toContain('Written: ralph.yml, PROMPT.md.\nTeam: feature (builder, reviewer).\n');
    expect(out).toContain('`cargo test` itself before work counts (found in Cargo.toml)');
    expect(out).toMatch(/ralph validate[\s\S]*ralph graph[\s\S]*ralph run/);
  });

  it('names its page of the guide by a path that can be opened', async () => {
    const pages = (await type([])).out.match(/\S*guide\/[\w-]+\.md/g) ?? [];
    expect(pages.map((path) => [isAbsolute(path), existsSync(path)])).toEqual([[true, true]]);
  });

  it('says who the second pair of eyes is, or that there is none', async () => {
    expect((await type([], null, { wantsOther: true, otherBackend: 'gemini' })).out).toContain('second pair of eyes is gemini');
    expect((await type([], null, { wantsOther: true })).out).toContain('the second pair of eyes is the same agent');
  });
});

describe('ralph presets', () => {
  async function presets(...args: readonly string[]) {
    const fake = createFakeContext({});
    const exitCode = await performCommandLine(['presets', ...args], fake.context);
    return { exitCode, out: fake.out(), err: fake.err() };
  }

  it('lists every team with its hats and what it is for, without loading the composition root', async () => {
    const { out } = await presets();
    expect(out).toMatch(/feature-minimal +\S[\s\S]*→ builder, reviewer/);
    expect(out).toMatch(/debug +Finds the cause/);
  });

  it('gives programs one object a line', async () => {
    const { out } = await presets('--format', 'json');
    const records = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string });
    expect(records.find((record) => record.name === 'research')).toMatchObject({
      v: 1,
      hats: ['researcher', 'synthesizer'],
      terminalEvents: ['research.question', 'synthesis.complete'],
      file: expect.stringMatching(/presets.research\.yml$/),
    });
  });

  it('prints one as it is', async () => {
    expect((await presets('show', 'tdd')).out).toMatch(/^# tdd: [\s\S]*\nhats:\n[\s\S]*\n$/);
  });

  it.each([
    [['show', 'featur'], 'did you mean `feature`?'],
    [['show'], 'needs a name'],
    [['feature'], 'ralph presets show feature'],
    [['shwo', 'feature'], 'show NAME'],
  ])('answers %j with words and exit code 2', async (args, words) => {
    const { exitCode, err } = await presets(...args);
    expect([exitCode, err]).toEqual([2, expect.stringContaining(words)]);
  });
});

const CHOICES = [
  { name: 'none', text: 'one agent does everything' },
  { name: 'feature' },
  { name: 'debug' },
  { name: 'confession-loop', text: 'with a name and words that have no room beside the others' },
];

async function answer(...answers: readonly string[]) {
  const left = [...answers];
  const { context, err } = createFakeContext({ ask: async () => left.shift() ?? '' });
  const chosen = await askChoice(context, 'Which team?', CHOICES).catch((error: { code: string; exitCode: number }) => error);
  return { chosen, err: err() };
}

it.each([
  ['', 'none'],
  ['2', 'feature'],
  [' debug ', 'debug'],
])('takes %j for %s', async (typed, name) => {
  expect((await answer(typed)).chosen).toBe(name);
});

it('shows the choices with their numbers on standard error', async () => {
  expect((await answer('')).err).toBe(
    'Which team?\n  1) none: one agent does everything  2) feature  3) debug\n  4) confession-loop: with a name and words that have no room beside the others\n',
  );
});

it('asks again after an answer that names nothing, with what was probably meant', async () => {
  const { chosen, err } = await answer('featrue', '0', '2');
  expect(chosen).toBe('feature');
  expect(err).toContain('did you mean feature?');
});

it('gives up after three', async () => {
  expect((await answer('x', '9', '-1', 'debug')).chosen).toMatchObject({ code: 'usage', exitCode: 2 });
});

it('takes the first where nobody can be asked', async () => {
  const { context } = createFakeContext({});
  expect(await askChoice(context, 'Which team?', CHOICES)).toBe('none');
});
