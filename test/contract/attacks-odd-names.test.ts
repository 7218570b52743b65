/** More attacks on the file tools: other names for the same place, other things in the place of files, other ways to say a pattern. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/values/json.ts';
import { type AttackPlace, createAttackPlace, OUTSIDE_NAME, OUTSIDE_TEXT, removeAttackPlaces } from './attack-place.ts';

afterAll(removeAttackPlaces);

/** Calls a tool; what must stay as it was is as it was, and nothing from outside is told. */
async function attack(place: AttackPlace, tool: string, args: Json): Promise<string> {
  const before = place.photograph();
  const { text } = await place.call(tool, args);
  expect(place.photograph()).toEqual(before);
  expect(text).not.toContain(OUTSIDE_TEXT);
  expect(text).not.toContain(OUTSIDE_NAME);
  return text;
}

/** The same, and the answer is an error. */
async function expectRefusal(place: AttackPlace, tool: string, args: Json): Promise<string> {
  const before = place.photograph();
  const { text, isError } = await place.call(tool, args);
  expect(isError, `${tool} ${JSON.stringify(args)}: ${text}`).toBe(true);
  expect(place.photograph()).toEqual(before);
  expect(text).not.toContain(OUTSIDE_TEXT);
  expect(text).not.toContain(OUTSIDE_NAME);
  return text;
}

/** Each way with what reads and what writes. */
const BOTH = (path: string): readonly (readonly [string, Json])[] => [
  ['read_file', { path }],
  ['list_files', { path }],
  ['grep', { path, pattern: 'text' }],
  ['write_file', { path, content: 'planted' }],
  ['edit_file', { path, old_text: OUTSIDE_TEXT, new_text: 'planted' }],
];

const secret = ({ outside }: AttackPlace): string => join(outside, 'secret.txt');

type OfPlace = string | ((place: AttackPlace) => string);
const toText = (part: OfPlace, place: AttackPlace): string => (typeof part === 'string' ? part : part(place));

/** A path that goes by a link. */
function linked(name: string, target: OfPlace, path: OfPlace): (place: AttackPlace) => string {
  return (place) => {
    place.link(name, toText(target, place));
    return toText(path, place);
  };
}

describe('another name for what lies outside is refused', () => {
  const names: readonly (readonly [string, (place: AttackPlace) => string])[] = [
    ['the root of this process', (place) => `/proc/self/root${secret(place)}`],
    ['the root of the parent', (place) => `/proc/1/root${secret(place)}`],
    ['a link to the root of this process', linked('way', '/proc/self/root', (place) => `way${secret(place)}`)],
    ['a link to its folder', linked('way', '/proc/self/cwd', 'way/package.json')],
    ['a link to its environment', linked('env.txt', '/proc/self/environ', 'env.txt')],
    ['a link to its memory', linked('mem', '/proc/self/mem', 'mem')],
    ['what it has open', () => '/proc/self/fd/1'],
    ['standard input', () => '/dev/stdin'],
    ['a link to standard input', linked('in', '/dev/fd/0', 'in')],
    ['a file as a folder on the way', () => 'file.txt/../../outside/secret.txt'],
    ['a folder that is not there on the way', () => 'nowhere/../../outside/secret.txt'],
    ['a link, and up behind it', linked('way', (place) => place.outside, 'way/../outside/secret.txt')],
    ['two slashes', (place) => `/${secret(place)}`],
    ['a root as host', (place) => `//./${secret(place)}`],
    ['points and slashes', () => './././..//./outside/.//secret.txt'],
    ['an address', (place) => `file://${secret(place)}`],
    ['an address that is encoded', () => '%2e%2e/outside/secret.txt'],
    ['full-width points', () => '\uFF0E\uFF0E/outside/secret.txt'],
    ['a point of two points', () => '\u2025/outside/secret.txt'],
    ['a slash that looks like one', () => '..\u2215outside\u2215secret.txt'],
    ['a variable', () => '$HOME/../outside/secret.txt'],
    ['the home of somebody', () => '~root/.ssh/id_rsa'],
    ['a link whose target ends with a slash', linked('way', (place) => `${place.outside}/`, 'way/secret.txt')],
    ['forty links', (place) => toChain(place, 39)],
    ['more links than the system follows', (place) => toChain(place, 60)],
  ];

  it.each(names)('%s', async (_, toPath) => {
    const place = createAttackPlace();
    const path = toPath(place);
    for (const [tool, args] of BOTH(path)) {
      // A name that only looks like a way out is a new file of the workspace.
      if (tool === 'write_file') await attack(place, tool, args);
      else await expectRefusal(place, tool, args);
    }
  });
});

function toChain(place: AttackPlace, count: number): string {
  for (let index = 0; index < count; index += 1) place.link(`l${index}`, `l${index + 1}`);
  place.link(`l${count}`, place.outside);
  return 'l0/secret.txt';
}

describe('another name for the repository or the journal is protected', () => {
  const names = [
    './/.git//config',
    '.git/./config',
    'sub/../.git/config',
    '.g\u200Cit/config',
    '.git\u00AD/config',
    '.\uFF47\uFF49\uFF54/config',
    '.GI\uFF34/config',
    '.git.../config',
    '.git. . /config',
    '.git:config/x',
    'git~12/config',
    'GIT~1',
    '.ralph./runs/one/journal.jsonl',
    '.R\uFF21LPH/runs/one/journal.jsonl',
    '.ralph\u200D/x',
    '.ralph:x/y',
    'node_modules/x/.git/config',
    '.agent/.git/hooks/pre-commit',
    '.agent/../.git/config',
  ];

  it.each(names)('%j', async (path) => {
    const place = createAttackPlace();
    for (const [tool, args] of BOTH(path).slice(3)) await expectRefusal(place, tool, args);
  });

  it('by a link in the place of the folder of notes', async () => {
    for (const target of ['.git', '.ralph', '../outside', '.ralph/runs/one']) {
      const place = createAttackPlace();
      place.link('.agent', target);
      for (const [tool, args] of [
        ['write_scratchpad', { content: 'x' }],
        ['write_file', { path: '.agent/config', content: 'x' }],
      ] as const) {
        await expectRefusal(place, tool, args);
      }
      await attack(place, 'update_todos', { todos: [{ text: 'x' }] });
    }
  });

  it('by a folder of another name that git takes for a repository, made step by step', async () => {
    const place = createAttackPlace();
    for (const path of ['x/HEAD', 'x/objects/a', 'x/refs/a']) await place.call('write_file', { path, content: 'ref: refs/heads/main\n' });
    await expectRefusal(place, 'write_file', { path: 'x/config', content: '[core]\n\tfsmonitor = ./evil\n' });
    await expectRefusal(place, 'write_file', { path: 'x/hooks/pre-commit', content: 'x' });
  });
});

describe('what a run keeps for itself is not read', () => {
  const KEY = 'sk-in-the-settings-of-a-run';
  const open = (): AttackPlace => {
    const place = createAttackPlace();
    place.write('.ralph/runs/one/settings.json', JSON.stringify({ env: { MY_SETTING: KEY } }));
    place.write('.ralph/runs/one/private/1/login.json', KEY);
    return place;
  };
  const ways: readonly (readonly [string, Json])[] = [
    ['read_file', { path: '.ralph/runs/one/settings.json' }],
    ['read_file', { path: '.ralph/runs/one/../one/settings.json' }],
    ['grep', { pattern: 'MY_SETTING', path: '.ralph/runs/one/settings.json' }],
    ['grep', { pattern: 'MY_SETTING', path: '.ralph/runs/one', include_ignored: true }],
    ['grep', { pattern: 'MY_SETTING', path: '.ralph' }],
    ['grep', { pattern: 'sk-in', path: '.ralph/runs/one/private' }],
    ['grep', { pattern: 'sk-in', path: '.ralph/runs', mode: 'files' }],
    ['grep', { pattern: 'sk-in', path: '.ralph/runs', mode: 'count' }],
    ['read_file', { path: '.ralph/runs/one/private/1/login.json' }],
    ['edit_file', { path: '.ralph/runs/one/settings.json', old_text: KEY, new_text: 'x' }],
  ];

  it.each(ways)('%s %j', async (tool, args) => {
    const { text } = await open().call(tool, args);
    expect(text).not.toContain(KEY);
    expect(text).not.toMatch(/(?:settings|login)\.json:\d/);
  });

  it('by a link to it', async () => {
    const place = open();
    place.link('a.json', '.ralph/runs/one/settings.json');
    place.link('b', '.ralph/runs/one');
    for (const path of ['a.json', 'b/settings.json', 'b/private/1/login.json']) await expectRefusal(place, 'read_file', { path });
    expect((await place.call('grep', { pattern: 'MY_SETTING', path: 'b' })).text).not.toContain(KEY);
  });
});

describe('a pattern leads nowhere else', () => {
  const patterns: readonly (readonly [string, Json])[] = [
    ['glob', { pattern: '../outside/*' }],
    ['glob', { pattern: '{.,..}/outside/*' }],
    ['glob', { pattern: '@(..)/outside/*' }],
    ['glob', { pattern: '[.][.]/outside/*' }],
    ['glob', { pattern: '/**/secret.txt' }],
    ['glob', { pattern: 'way/**' }],
    ['glob', { pattern: '**/way/**/*' }],
    ['glob', { pattern: '!file.txt' }],
    ['grep', { pattern: 'text', glob: '../outside/*' }],
    ['grep', { pattern: 'text', glob: '!*.md' }],
    ['grep', { pattern: 'text', glob: '{..,.}/outside/**' }],
    ['grep', { pattern: '--pre=cat' }],
    ['grep', { pattern: '-f/etc/passwd' }],
    ['grep', { pattern: '--files' }],
    ['grep', { pattern: 'text', path: '--follow' }],
    ['grep', { pattern: 'text', path: '-L' }],
    ['list_files', { path: '.', depth: 9, ignore: ['!way'] }],
  ];

  it.each(patterns)('%s %j', async (tool, args) => {
    const place = createAttackPlace();
    place.link('way', '../outside');
    const text = await attack(place, tool, args);
    expect(text.replaceAll('/**/secret.txt', '')).not.toContain('secret.txt');
  });

  it('nor do rules of what is ignored, whatever they are', async () => {
    for (const prepare of [
      (place: AttackPlace) => place.link('.gitignore', secret(place)),
      (place: AttackPlace) => mkdirSync(join(place.workspace, '.gitignore')),
      (place: AttackPlace) => place.link('.gitignore', '/dev/zero'),
      (place: AttackPlace) => place.write('.gitignore', '!../outside/\n!way/\n'),
    ]) {
      const place = createAttackPlace();
      prepare(place);
      place.link('way', '../outside');
      await attack(place, 'glob', { pattern: '**/*' });
      await attack(place, 'grep', { pattern: 'text' });
    }
  });
});

describe('what stands in the place of a file of Ralph is no danger', () => {
  const kinds: readonly (readonly [string, (path: string, place: AttackPlace) => void])[] = [
    ['a pipe', (path) => void execFileSync('mkfifo', [path])],
    ['a folder', (path) => void mkdirSync(path)],
    ['a link to a device', (path) => symlinkSync('/dev/zero', path)],
    ['a link to a full device', (path) => symlinkSync('/dev/full', path)],
    ['a link to outside', (path, place) => symlinkSync(secret(place), path)],
    ['a second name of a file outside', (path, place) => linkSync(secret(place), path)],
    ['a file that nobody may write', (path) => writeFileSync(path, 'x', { mode: 0o400 })],
  ];

  it.each(kinds)(
    '%s',
    async (_, make) => {
      for (const [file, tool, args] of [
        ['scratchpad.md', 'write_scratchpad', { content: 'note' }],
        ['todos.md', 'update_todos', { todos: [{ text: 'note' }] }],
      ] as const) {
        const place = createAttackPlace();
        mkdirSync(join(place.workspace, '.agent'));
        make(join(place.workspace, '.agent', file), place);
        await attack(place, tool, args);
      }
    },
    10_000,
  );

  it('not even where the whole folder of notes is a file, or may not be entered', async () => {
    const place = createAttackPlace();
    place.write('.agent', 'x');
    await expectRefusal(place, 'write_scratchpad', { content: 'x' });
    const other = createAttackPlace();
    mkdirSync(join(other.workspace, '.agent'));
    chmodSync(join(other.workspace, '.agent'), 0o000);
    await attack(other, 'write_scratchpad', { content: 'x' });
    chmodSync(join(other.workspace, '.agent'), 0o755);
  });
});

describe('a file is not written over by a name under which it was not read', () => {
  it.each(['other.txt', './sub/../other.txt', 'way/other.txt'])('%s', async (path) => {
    const place = createAttackPlace();
    place.write('other.txt', 'keep me\n');
    place.write('sub/x', '');
    place.link('way', '.');
    await place.call('read_file', { path: 'file.txt' });
    await expectRefusal(place, 'write_file', { path, content: 'lost' });
    expect(readFileSync(join(place.workspace, 'other.txt'), 'utf8')).toBe('keep me\n');
  });

  it('nor after another file has taken its place', async () => {
    const place = createAttackPlace();
    await place.call('read_file', { path: 'file.txt' });
    place.write('file.txt', 'insidE\n');
    await expectRefusal(place, 'write_file', { path: 'file.txt', content: 'lost' });
  });

  it('and a program of the user stays what it is: no bit that makes it run as somebody else survives', async () => {
    const place = createAttackPlace();
    chmodSync(place.write('tool.sh', 'x\n'), 0o4755);
    await place.call('read_file', { path: 'tool.sh' });
    await place.call('write_file', { path: 'tool.sh', content: 'evil\n' });
    expect(execFileSync('stat', ['-c', '%a', join(place.workspace, 'tool.sh')], { encoding: 'utf8' }).trim()).toBe('755');
    expect(existsSync(join(place.workspace, 'tool.sh'))).toBe(true);
  });
});
