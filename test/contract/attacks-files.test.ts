/** Attacks on the file tools and on their outputs, through the same door as a model: profile, schema, tool, redaction, cap. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, ftruncateSync, linkSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/values/json.ts';
import { API_KEY, type AttackPlace, createAttackPlace, OUTSIDE_NAME, OUTSIDE_TEXT, removeAttackPlaces } from './attack-place.ts';

afterAll(removeAttackPlaces);

type Prepare = (place: AttackPlace) => void;
type ToArgs = (place: AttackPlace) => Json;

interface Attack {
  readonly name: string;
  readonly prepare?: Prepare;
  readonly tool: string;
  readonly args: ToArgs;
  /** What the first line of the refusal says. */
  readonly says: RegExp;
}

/** Refused: an error that says what is wrong and, on the next line, what to do; and everything that must stay as it was is as it was. */
async function expectRefusal({ prepare, tool, args, says }: Attack): Promise<AttackPlace> {
  const place = createAttackPlace();
  prepare?.(place);
  const before = place.photograph();
  const { text, isError } = await place.call(tool, args(place));
  expect(isError, text).toBe(true);
  const [what = '', ...advice] = text.split('\n');
  expect(what).toMatch(says);
  expect(advice.join('\n').trim(), text).toMatch(/\w.*[.:)]$/s);
  expectNoLeak(text);
  expect(place.photograph()).toEqual(before);
  return place;
}

function expectNoLeak(text: string): void {
  expect(text).not.toContain(OUTSIDE_TEXT);
  expect(text).not.toContain(OUTSIDE_NAME);
  expect(text).not.toContain(API_KEY.slice(0, 8));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal obeys
  expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/);
}

/** The arguments with which each tool goes to a path. */
const TO_PATH: Readonly<Record<string, (path: string) => Json>> = {
  read_file: (path) => ({ path }),
  list_files: (path) => ({ path }),
  glob: (path) => ({ path, pattern: '**/*' }),
  grep: (path) => ({ path, pattern: 'text' }),
  write_file: (path) => ({ path, content: 'x' }),
  edit_file: (path) => ({ path, old_text: OUTSIDE_TEXT, new_text: 'x' }),
};

const ways: readonly { way: string; path: (place: AttackPlace) => string; prepare?: Prepare; says?: RegExp }[] = [
  { way: '..', path: () => '../outside/secret.txt' },
  { way: 'folder and more ..', path: () => 'a/b/../../../outside/secret.txt' },
  { way: 'an absolute path', path: ({ outside }) => join(outside, 'secret.txt') },
  { way: 'an absolute path with ..', path: ({ workspace }) => `${workspace}/../outside/secret.txt` },
  { way: 'a link to a folder', prepare: ({ link, outside }) => link('way', outside), path: () => 'way/secret.txt' },
  { way: 'a relative link to a folder', prepare: ({ link }) => link('sub/way', '../../outside'), path: () => 'sub/way/secret.txt' },
  { way: 'a link to a file', prepare: ({ link, outside }) => link('way.txt', join(outside, 'secret.txt')), path: () => 'way.txt' },
  {
    way: 'a chain of links',
    prepare: ({ link }) => {
      link('one', 'two');
      link('two', 'three/up');
      link('three/up', '../../outside');
    },
    path: () => 'one/secret.txt',
  },
  { way: 'the folder of this process', path: () => '/proc/self/cwd/package.json' },
  { way: 'a name that begins like the workspace', prepare: ({ workspace }) => mkdirSync(`${workspace}-too`), path: () => '../work-too' },
  { way: 'a home folder', path: () => '~/.ssh/id_ed25519', says: /home folder/ },
  { way: 'backslashes', path: () => '..\\outside\\secret.txt', says: /backslashes/ },
  { way: 'a NUL character', path: () => 'file.txt\0/../../outside/secret.txt', says: /NUL/ },
];

describe.each(Object.entries(TO_PATH))('%s does not leave the workspace', (tool, toArgs) => {
  it.each(ways)('by $way', async ({ path, prepare, says }) => {
    await expectRefusal({
      name: '',
      tool,
      args: (place) => toArgs(path(place)),
      says: says ?? /is outside of what may be/,
      ...(prepare && { prepare }),
    });
  });
});

const PROTECTED = /which is protected/;

describe('nothing is written where Ralph and git keep what they trust', () => {
  const paths = [
    '.git/config',
    '.git/hooks/pre-commit',
    '.git',
    '.GIT/config',
    '.Git/hooks/post-checkout',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
    '\uFF0Egit/config',
    'vendor/lib/.git/hooks/pre-push',
    'x/../.git/info/attributes',
    '.ralph/runs/one/journal.jsonl',
    '.RALPH/runs/one/journal.jsonl',
    '.ralph/settings.json',
    '.ralph/runs/one/turns/1/outputs/planted.txt',
  ];
  it.each(paths)('%s', async (path) => {
    for (const tool of ['write_file', 'edit_file']) {
      await expectRefusal({ name: path, tool, args: () => TO_PATH[tool]?.(path) ?? null, says: PROTECTED });
    }
  });

  const hidden: readonly Attack[] = [
    {
      name: 'a link to .git',
      prepare: ({ link }) => link('docs', '.git'),
      tool: 'write_file',
      args: () => ({ path: 'docs/hooks/pre-commit', content: 'x' }),
      says: PROTECTED,
    },
    {
      name: 'a link to a hook that does not exist yet',
      prepare: ({ link }) => link('a.sh', '.git/hooks/pre-commit'),
      tool: 'write_file',
      args: () => ({ path: 'a.sh', content: 'x' }),
      says: /leads to nothing/,
    },
    {
      name: 'a link to the journal',
      prepare: ({ link }) => link('notes.jsonl', '.ralph/runs/one/journal.jsonl'),
      tool: 'edit_file',
      args: () => ({ path: 'notes.jsonl', old_text: '{}', new_text: '{"type":"run-ended"}' }),
      says: PROTECTED,
    },
    {
      name: 'a bare repository in the workspace',
      prepare: ({ write }) => {
        for (const name of ['HEAD', 'objects/x', 'refs/x']) write(`mirror/${name}`, 'x');
      },
      tool: 'write_file',
      args: () => ({ path: 'mirror/hooks/post-receive', content: 'x' }),
      says: PROTECTED,
    },
    {
      name: 'the .git file of a worktree',
      prepare: ({ write }) => write('tree/.git', 'gitdir: /elsewhere\n'),
      tool: 'edit_file',
      args: () => ({ path: 'tree/.git', old_text: '/elsewhere', new_text: '/tmp/evil' }),
      says: PROTECTED,
    },
    {
      name: 'a link to a file that is not there yet, outside',
      prepare: ({ link, outside }) => link('new.txt', join(outside, 'new.txt')),
      tool: 'write_file',
      args: () => ({ path: 'new.txt', content: 'x' }),
      says: /leads to nothing/,
    },
    {
      name: 'links in a circle',
      prepare: ({ link }) => link('circle', 'circle'),
      tool: 'write_file',
      args: () => ({ path: 'circle/x', content: 'x' }),
      says: /in a circle/,
    },
    {
      name: 'the notes replaced by a link',
      prepare: ({ link, outside }) => link('.agent/scratchpad.md', join(outside, 'secret.txt')),
      tool: 'write_scratchpad',
      args: () => ({ content: 'x', mode: 'replace' }),
      says: /is outside of what may be written/,
    },
    {
      name: 'the folder of the notes replaced by a link',
      prepare: ({ link, outside }) => link('.agent', outside),
      tool: 'write_scratchpad',
      args: () => ({ content: 'x' }),
      says: /is outside of what may be written/,
    },
  ];
  it.each(hidden)('by $name', async (attack) => {
    await expectRefusal(attack);
  });
});

describe('names that are no names are refused', () => {
  const names: readonly (readonly [string, string, RegExp])[] = [
    ['a line feed', 'a\nb.txt', /control characters/],
    ['an escape sequence', 'a\u001b]0;owned\u0007.txt', /control characters/],
    ['a mark that turns the direction of writing', 'gpj.\u202etxt', /control characters/],
    ['a control of eight bits', 'a\u009b2Jb', /control characters/],
    ['half a character', 'a\ud83d.txt', /half of a character/],
    ['a name of 300 letters', 'x'.repeat(300), /longer than 255/],
    ['a path of 5000 letters', 'abc/'.repeat(1250), /longer than 4096/],
    ['nothing', '', /empty/],
  ];
  it.each(names)('%s', async (name, path, says) => {
    for (const tool of ['read_file', 'write_file']) await expectRefusal({ name, tool, args: () => TO_PATH[tool]?.(path) ?? null, says });
  });
});

describe('what is no regular file is neither read nor written, and nobody waits for it', () => {
  const makePipe: Prepare = ({ workspace }) => execFileSync('mkfifo', [join(workspace, 'special')]);
  const kinds: readonly (readonly [string, Prepare])[] = [
    ['a pipe', makePipe],
    ['a folder', ({ workspace }) => mkdirSync(join(workspace, 'special'))],
    ['a device by a link', ({ link }) => link('special', '/dev/zero')],
    ['a terminal by a link', ({ link }) => link('special', '/dev/tty')],
  ];
  it.each(kinds)('%s', async (name, prepare) => {
    for (const tool of ['read_file', 'write_file', 'edit_file']) {
      const says = /is a (pipe|folder)|no regular file|outside of what may be|not a file/;
      await expectRefusal({ name, prepare, tool, args: () => TO_PATH[tool]?.('special') ?? null, says });
    }
  });

  it('a socket', async () => {
    const place = createAttackPlace();
    const server = createServer().listen(join(place.workspace, 'special'));
    await new Promise((resolve) => server.once('listening', resolve));
    const { text, isError } = await place.call('read_file', { path: 'special' });
    expect([isError, text]).toEqual([true, expect.stringContaining('is a socket')]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('a pipe among the files that are searched', async () => {
    const place = createAttackPlace();
    makePipe(place);
    expect((await place.call('grep', { pattern: 'inside' })).text).toBe('file.txt:1:inside');
  });

  it('a pipe or a link where ignore rules should be', async () => {
    const place = createAttackPlace();
    execFileSync('mkfifo', [join(place.workspace, '.gitignore')]);
    writeFileSync(join(place.outside, 'rules'), '*\n');
    mkdirSync(join(place.workspace, 'sub'));
    place.write('sub/a.txt', 'x');
    place.link('sub/.gitignore', join(place.outside, 'rules'));
    expect((await place.call('glob', { pattern: '**/*.txt' })).text.split('\n').toSorted()).toEqual(['file.txt', 'sub/a.txt']);
  });
});

describe('hard links', () => {
  it('are cut by writing: the other name keeps its content', async () => {
    const place = createAttackPlace();
    linkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'hard.txt'));
    await place.call('read_file', { path: 'hard.txt' });
    expect((await place.call('write_file', { path: 'hard.txt', content: 'mine' })).isError).toBe(false);
    expect(readFileSync(join(place.outside, 'secret.txt'), 'utf8')).toBe(`${OUTSIDE_TEXT}\n`);
    expect(readFileSync(join(place.workspace, 'hard.txt'), 'utf8')).toBe('mine');
  });

  it('are cut by edits, too', async () => {
    const place = createAttackPlace();
    linkSync(join(place.outside, 'secret.txt'), join(place.workspace, 'hard.txt'));
    expect((await place.call('edit_file', { path: 'hard.txt', old_text: 'text', new_text: 'changed' })).isError).toBe(false);
    expect(readFileSync(join(place.outside, 'secret.txt'), 'utf8')).toBe(`${OUTSIDE_TEXT}\n`);
  });

  it('are cut by notes', async () => {
    const place = createAttackPlace();
    mkdirSync(join(place.workspace, '.agent'));
    linkSync(join(place.outside, 'secret.txt'), join(place.workspace, '.agent/scratchpad.md'));
    await place.call('write_scratchpad', { content: 'note' });
    expect(readFileSync(join(place.outside, 'secret.txt'), 'utf8')).toBe(`${OUTSIDE_TEXT}\n`);
  });
});

describe('links are told, never followed, by', () => {
  const prepare: Prepare = ({ link, outside, write }) => {
    link('out', outside);
    link('sub/out.txt', join(outside, 'secret.txt'));
    write('sub/a.txt', 'text in the workspace\n');
  };
  it.each<[string, Json]>([
    ['list_files', { depth: 9 }],
    ['glob', { pattern: '**/*secret*' }],
    ['glob', { pattern: '**/*secret*', include_ignored: true }],
    ['glob', { pattern: 'out/*' }],
    ['grep', { pattern: 'text' }],
    ['grep', { pattern: 'text', mode: 'files' }],
  ])('%s with %j', async (tool, args) => {
    const place = createAttackPlace();
    prepare(place);
    const { text } = await place.call(tool, args);
    expectNoLeak(text);
    expect(text).not.toMatch(/out\/secret|out\.txt:/);
  });
});

describe('what is huge costs neither memory nor patience:', () => {
  const makeHuge = (path: string): void => {
    const file = openSync(path, 'w');
    ftruncateSync(file, 8 * 2 ** 30);
    closeSync(file);
  };

  it('a file of eight gigabytes of zeros', async () => {
    const attack = { name: '', tool: 'read_file', args: () => ({ path: 'huge' }), says: /binary/ };
    await expectRefusal({ ...attack, prepare: ({ workspace }) => makeHuge(join(workspace, 'huge')) });
  });

  it('a huge file that is edited', async () => {
    const args = () => ({ path: 'huge', old_text: 'a', new_text: 'b' });
    await expectRefusal({
      name: '',
      tool: 'edit_file',
      args,
      says: /more than this tool takes/,
      prepare: ({ workspace }) => makeHuge(join(workspace, 'huge')),
    });
  });

  it('a huge file among those that are searched', async () => {
    const place = createAttackPlace();
    makeHuge(join(place.workspace, 'huge'));
    expect((await place.call('grep', { pattern: 'inside' })).text).toBe('file.txt:1:inside\n[1 files above 16 MB were left out.]');
  });

  it('one line of ten megabytes', async () => {
    const place = createAttackPlace();
    place.write('line.txt', 'ab'.repeat(5 * 2 ** 20));
    const { text } = await place.call('read_file', { path: 'line.txt' });
    expect(text.length).toBeLessThan(2100);
    expect(text).toContain('more characters');
  });

  it('a content of twenty megabytes', async () => {
    await expectRefusal({
      name: '',
      tool: 'write_file',
      args: () => ({ path: 'a', content: 'x'.repeat(20 * 2 ** 20) }),
      says: /is the most/,
    });
  });

  it('an edit that would make it so', async () => {
    const args = () => ({ path: 'a', old_text: 'a', new_text: 'b'.repeat(100_000), replace_all: true });
    await expectRefusal({ name: '', tool: 'edit_file', args, says: /could grow/, prepare: ({ write }) => write('a', 'a'.repeat(100_000)) });
  });

  it('a folder of many names', async () => {
    const place = createAttackPlace();
    for (let index = 0; index < 3000; index += 1) place.write(`many/f${index}`, '');
    expect((await place.call('list_files', { path: 'many', limit: 1990 })).text.split('\n')).toHaveLength(1991);
    expect((await place.call('glob', { pattern: 'many/*' })).text.split('\n')).toHaveLength(101);
  });

  it('folders in folders in folders', async () => {
    const place = createAttackPlace();
    place.write(`${'d/'.repeat(200)}deep.txt`, 'deep text');
    expect((await place.call('glob', { pattern: '**/*.txt' })).text).toBe('file.txt');
    expect((await place.call('grep', { pattern: 'deep' })).isError).toBe(false);
  });

  it.each([
    ['(a+)+$', 'a'.repeat(50)],
    ['(a|a)*$', 'a'.repeat(50)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
  ])('the expression %s', async (pattern, text) => {
    const prepare: Prepare = ({ write }) => write('evil.txt', `${text}!\n`);
    await expectRefusal({ name: '', tool: 'grep', args: () => ({ pattern, path: 'evil.txt' }), says: /takes too long/, prepare });
  });

  it.each(['*a*a*a*a*a*a*a*b', '{*a,*b}*a*a*a*b', '**/**/**/**/**/x', `${'a'.repeat(600)}`])('the pattern %s', async (pattern) => {
    const prepare: Prepare = ({ write }) => write('a'.repeat(250), 'x');
    await expectRefusal({ name: '', tool: 'glob', args: () => ({ pattern }), says: /too long or has too many/, prepare });
  });

  it('ignore rules that are meant to take for ever', async () => {
    const place = createAttackPlace();
    place.write('.gitignore', `${'*a'.repeat(30)}b\n${'**/a/'.repeat(20)}\n`.repeat(1000));
    place.write('a'.repeat(250), 'x');
    expect((await place.call('glob', { pattern: '*.txt' })).text).toBe('file.txt');
  });
});

describe('a terminal obeys nothing that a tool says:', () => {
  const evil = '\u001b[2J\u001b]52;c;ZXZpbA==\u0007\u009b31m\u202eabc\r!';
  const outputs: readonly (readonly [string, Prepare, string, Json])[] = [
    ['the content of a file', ({ write }) => write('a.txt', `x${evil}y\n`), 'read_file', { path: 'a.txt' }],
    ['a line that is found', ({ write }) => write('a.txt', `needle${evil}\n`), 'grep', { pattern: 'needle' }],
    [
      'the lines around an edit',
      ({ write }) => write('a.txt', `${evil}\nold\n`),
      'edit_file',
      { path: 'a.txt', old_text: 'old', new_text: 'new' },
    ],
    [
      'the text near one that is missing',
      ({ write }) => write('a.txt', `some words ${evil}\n`),
      'edit_file',
      { path: 'a.txt', old_text: 'some words', new_text: evil },
    ],
    ['the names in a folder', ({ write }) => write(`a${evil}b`, ''), 'list_files', {}],
    ['the names that match', ({ write }) => write(`a${evil}b`, ''), 'glob', { pattern: 'a*' }],
    ['the names of files with a line', ({ write }) => write(`a${evil}b`, 'needle'), 'grep', { pattern: 'needle', mode: 'files' }],
    ['where a link leads', ({ link }) => link('a', evil), 'list_files', {}],
    ['the path of a refusal', () => undefined, 'read_file', { path: `a${evil}` }],
    ['the pattern of a refusal', () => undefined, 'grep', { pattern: `(${evil}` }],
    ['the pattern that matches nothing', () => undefined, 'glob', { pattern: `nothing${evil}` }],
    ['what is to do', () => undefined, 'update_todos', { todos: [{ text: `a${evil}` }] }],
    ['a name that was meant', ({ write }) => write('readme\u001b[2J', 'x'), 'read_file', { path: 'readme' }],
  ];
  it.each(outputs)('%s', async (_, prepare, tool, args) => {
    const place = createAttackPlace();
    prepare(place);
    expectNoLeak((await place.call(tool, args)).text);
  });
});

describe('no secret comes back,', () => {
  const mark = /\[redacted: /;
  const outputs: readonly (readonly [string, Prepare, string, Json])[] = [
    ['read from a file', ({ write }) => write('.env', `KEY=${API_KEY}\n`), 'read_file', { path: '.env' }],
    ['found in a file', ({ write }) => write('.env', `KEY=${API_KEY}\n`), 'grep', { pattern: 'KEY' }],
    [
      'around an edit',
      ({ write }) => write('.env', `KEY=${API_KEY}\nold\n`),
      'edit_file',
      { path: '.env', old_text: 'old', new_text: 'new' },
    ],
    ['as the path of an error', () => undefined, 'read_file', { path: API_KEY }],
    ['as a pattern', () => undefined, 'grep', { pattern: API_KEY, literal: true }],
    ['in base64', ({ write }) => write('a', Buffer.from(`x${API_KEY}`).toString('base64')), 'read_file', { path: 'a' }],
    [
      'with colours in between',
      ({ write }) => write('a', `${API_KEY.slice(0, 7)}\u001b[0m${API_KEY.slice(7)}`),
      'read_file',
      { path: 'a' },
    ],
    ['cut in the middle', ({ write }) => write('a', `${'n'.repeat(490)}${API_KEY}${'x'.repeat(900)}`), 'grep', { pattern: 'n' }],
    ['in hexadecimal', ({ write }) => write('a', Buffer.from(API_KEY).toString('hex')), 'read_file', { path: 'a' }],
    ['over two lines', ({ write }) => write('a', `${API_KEY.slice(0, 7)}\n${API_KEY.slice(7)}`), 'read_file', { path: 'a' }],
    [
      'in a URL',
      ({ write }) => write('.git/config', 'url = https://me:hunter2hunter2@example.com/x\n'),
      'read_file',
      { path: '.git/config' },
    ],
    [
      'as a private key',
      ({ write }) => write('id', `-----BEGIN PRIVATE KEY-----\n${'Ab1/'.repeat(16)}\n-----END PRIVATE KEY-----\n`),
      'read_file',
      { path: 'id' },
    ],
    ['as a token of somebody else', ({ write }) => write('a', `ghp_${'a1B2c3D4'.repeat(5)}`), 'read_file', { path: 'a' }],
    ['as a note of a todo', () => undefined, 'update_todos', { todos: [{ text: API_KEY }] }],
    ['as a name', ({ write }) => write('x/zk9+Q/really-Secret$value', 'x'), 'glob', { pattern: 'x/zk9+Q/*' }],
  ];
  it.each(outputs)('%s', async (_, prepare, tool, args) => {
    const place = createAttackPlace();
    prepare(place);
    const { text } = await place.call(tool, args);
    expectNoLeak(text);
    expect(text).toMatch(mark);
    expect(text).not.toMatch(/hunter2|Ab1\/Ab1|a1B2c3D4/);
  });
});

describe('long outputs', () => {
  it('are kept without secrets, under names that nobody can guess, where no tool writes', async () => {
    const place = createAttackPlace();
    place.write('long.txt', `needle ${API_KEY} \u001b[2J ${'x'.repeat(300)}\n`.repeat(500));
    const { text } = await place.call('grep', { pattern: 'needle', limit: 1000 });
    expectNoLeak(text);
    const [name = ''] = readdirSync(place.outputs);
    expect(name).toMatch(/^grep-[0-9a-f]{12}\.txt$/);
    expectNoLeak(readFileSync(join(place.outputs, name), 'utf8'));
    const path = /The whole is in (\S+): read_file with offset (\d+)/.exec(text);
    const rest = await place.call('read_file', { path: path?.[1] ?? '', offset: Number(path?.[2]) });
    expect(rest).toMatchObject({ isError: false, text: expect.stringMatching(/^\d+\tlong\.txt:\d+:needle \[redacted: /) });
    await expectUnwritable(place, path?.[1] ?? '');
  });

  async function expectUnwritable(place: AttackPlace, path: string): Promise<void> {
    expect((await place.call('write_file', { path, content: 'x' })).text).toMatch(PROTECTED);
    expect((await place.call('edit_file', { path, old_text: 'needle', new_text: 'x' })).text).toMatch(PROTECTED);
  }

  it('are not kept under a name that a tool call makes up', async () => {
    const place = createAttackPlace();
    const { text, isError } = await place.call(`../../../outside/${'x'.repeat(100_000)}\u001b[2J`, {});
    expect(isError).toBe(true);
    expectNoLeak(text);
    expect(text.length).toBeLessThan(2000);
    expect(existsSync(place.outputs)).toBe(false);
  });

  it('are told as lost when their folder leads elsewhere', async () => {
    const place = createAttackPlace();
    place.write('long.txt', `needle ${'x'.repeat(300)}\n`.repeat(500));
    place.link('.ralph/runs/one/turns/1/outputs', '/nonexistent');
    const { text } = await place.call('grep', { pattern: 'needle', limit: 1000 });
    expect(text).toContain('The rest could not be kept');
  });
});

describe('arguments that no schema allows are refused before anything is touched', () => {
  it.each<[string, Json]>([
    ['write_file', { path: ['a'], content: 'x' }],
    ['write_file', { path: 'a', content: 'x', mode: '0777' }],
    ['read_file', { path: 'a', offset: -1 }],
    ['read_file', { path: 'a', limit: 1e9 }],
    ['read_file', null],
    ['grep', { pattern: 'x', limit: 1e9 }],
    ['grep', { pattern: 'x'.repeat(5000) }],
    ['list_files', { depth: 1e6 }],
    ['glob', { pattern: '*', limit: Number.MAX_SAFE_INTEGER }],
    ['update_todos', { todos: [{ text: '' }] }],
    ['write_scratchpad', { content: 'x', path: '/etc/passwd' }],
  ])('%s %j', async (tool, args) => {
    await expectRefusal({ name: '', tool, args: () => args, says: /The arguments of \w+ are not right/ });
  });
});

/** Swaps a folder and a file of the workspace for links that lead outside, and back, as fast as it can. */
const SWAPPER = `
const { workerData } = require('node:worker_threads');
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const { stop, workspace, outside } = workerData;
const pairs = [[workspace + '/swap', outside], [workspace + '/swap.txt', outside + '/secret.txt']];
while (Atomics.load(stop, 0) === 0) {
  for (const [path, target] of pairs) {
    try {
      renameSync(path, path + '.kept');
      symlinkSync(target, path);
      unlinkSync(path);
      renameSync(path + '.kept', path);
    } catch {}
  }
}`;

describe('nobody wins a race between check and use:', () => {
  const races: readonly (readonly [string, string, (round: number) => Json])[] = [
    ['reading below a folder', 'read_file', () => ({ path: 'swap/secret.txt' })],
    ['reading a file', 'read_file', () => ({ path: 'swap.txt' })],
    ['searching', 'grep', () => ({ pattern: 'text', path: 'swap', literal: true })],
    ['searching a file', 'grep', () => ({ pattern: 'text', path: 'swap.txt', literal: true })],
    ['listing', 'list_files', () => ({ path: 'swap' })],
    ['listing what is below', 'list_files', () => ({ depth: 3 })],
    ['finding files', 'glob', () => ({ pattern: 'swap/*' })],
    ['writing a new file', 'write_file', (round) => ({ path: `swap/new${round}.txt`, content: 'planted' })],
    ['making folders', 'write_file', (round) => ({ path: `swap/a${round}/b/c.txt`, content: 'planted' })],
    ['editing below a folder', 'edit_file', () => ({ path: 'swap/secret.txt', old_text: 'text', new_text: 'texts' })],
    ['editing a file', 'edit_file', () => ({ path: 'swap.txt', old_text: 'text', new_text: 'texts' })],
  ];
  it.each(races)('%s', async (_, tool, toArgs) => {
    const place = createAttackPlace();
    place.write('swap/secret.txt', 'harmless text\n');
    place.write('swap.txt', 'harmless text\n');
    const before = place.photograph();
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const workerData = { stop, workspace: place.workspace, outside: place.outside };
    const worker = new Worker(SWAPPER, { eval: true, workerData, env: {}, execArgv: [] });
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    for (let round = 0; round < 150; round += 1) {
      const { text } = await place.call(tool, toArgs(round));
      expectNoLeak(text);
    }
    Atomics.store(stop, 0, 1);
    await ended;
    expect(place.photograph()).toEqual(before);
  });
});
