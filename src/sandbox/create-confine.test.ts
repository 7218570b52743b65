import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUILT_IN_CARDS } from '../core/tools/built-in-cards.ts';
import { resolveProfile, toCapabilities } from '../core/tools/tool-profiles.ts';
import { type ConfineOrder, createConfine } from './create-confine.ts';

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-confine-')));
  for (const path of ['main/.git', 'main/node_modules', 'main/.ralph/worktrees/w', 'main/.ralph/panels/one/work', 'main/.ralph/private'])
    mkdirSync(join(top, path), { recursive: true });
  writeFileSync(join(top, 'main/.git/HEAD'), 'ref: refs/heads/main\n');
  symlinkSync(join(top, 'main/node_modules'), join(top, 'main/.ralph/worktrees/w/node_modules'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

/** The words of bubblewrap around an agent that may write and works in this folder. */
function confine(settings: Partial<ConfineOrder['settings']> & { readonly workspace: string }): readonly string[] {
  const folder = join(top, 'main/.ralph/private');
  const may = toCapabilities(resolveProfile(null, BUILT_IN_CARDS));
  const made: ConfineOrder = {
    settings: {
      privateDir: folder,
      stateDir: join(top, 'main/.ralph'),
      agentDirs: [],
      more: [],
      sandbox: { mode: 'required', scratch: [], readable: [], hasNetwork: true },
      os: { found: { kind: 'bubblewrap', path: '/usr/bin/bwrap', version: 'bubblewrap 1' } },
      folders: { listTracked: async () => [], listIgnored: async () => [] },
      ...settings,
    },
    order: {
      ...{ turn: '1.1', cli: 'custom', may, mode: 'required', args: [], permissions: 'default', env: { HOME: '/home/nobody' } },
      ...{ cwd: settings.workspace, qualityCommands: [], attach: () => null, more: [] },
    },
    folder,
    scratch: { folders: [], made: [] },
    home: { from: join(folder, 'home'), path: '/home/nobody' },
    plan: { variables: {} } as ConfineOrder['plan'],
    opened: { mounts: [], logins: [] },
  };
  return createConfine(made)({ path: '/bin/true', args: [], env: {} }).args;
}

/** What is done with paths below the folder of this test, in this order. */
function listMounts(words: readonly string[]): readonly string[] {
  const kinds = ['--tmpfs', '--bind', '--ro-bind'];
  return words.flatMap((word, index) => {
    const path = word === '--tmpfs' ? words[index + 1] : words[index + 2];
    return kinds.includes(word) && path?.startsWith(top) === true ? [`${word} ${path.slice(top.length + 1)}`] : [];
  });
}

it('an agent that works in a copy finds neither the folder that it was made of, nor its repository, and can write in its own folder alone', () => {
  const workspace = join(top, 'main/.ralph/panels/one/work');
  const links = [join(top, 'main/node_modules'), join(top, 'main/.ralph/worktrees/w/node_modules')];
  const words = confine({ workspace, apartFrom: [join(top, 'main/.ralph/worktrees/w'), join(top, 'main')], more: links });
  expect(listMounts(words)).toEqual([
    '--tmpfs main',
    '--ro-bind main/node_modules',
    '--tmpfs main/.ralph',
    '--tmpfs main/.ralph/worktrees/w',
    '--bind main/.ralph/panels/one/work',
    '--ro-bind main/.ralph/worktrees/w/node_modules',
  ]);
});

it('an agent that works in the folder of the run can write there, in its repository too', () => {
  expect(listMounts(confine({ workspace: join(top, 'main') }))).toEqual(['--bind main', '--tmpfs main/.ralph']);
  expect(existsSync(join(top, 'main/.git'))).toBe(true);
});
