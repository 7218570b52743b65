import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findCli } from '../backends/clis.ts';
import { isWithin } from '../core/text/is-within.ts';
import { type Mount, type MountFacts, orderMounts, planBubblewrap, planMounts, planSeatbelt } from './plan-confinement.ts';
import { planHome } from './turn-home.ts';

const CONFINEMENT = { mounts: [], cwd: '/w', hasNetwork: true, uid: 1000, gid: 1000 } as const;

const FACTS: MountFacts = {
  hidden: ['/root', '/home', '/run'],
  homes: ['/home'],
  needed: [],
  home: { from: '/run0/home', path: '/home/uma' },
  temp: { from: '/run0/tmp', path: '/tmp' },
  homeFolders: [],
  workspace: '/home/uma/work',
  isWritable: false,
  repository: { root: '/home/uma/work', written: ['/home/uma/work/.git'], kept: [] },
  stateDir: '/home/uma/work/.ralph',
  writable: ['/home/uma/work/.agent'],
  extraReadable: [],
};

/** What covers a path in the end. */
function find(mounts: readonly Mount[], path: string): string | undefined {
  const covering = orderMounts(mounts).filter((mount) => isWithin(path, mount.path));
  return covering[covering.length - 1]?.kind;
}

describe('the order of mounts', () => {
  it('makes what lies deeper later, and of two for one path only the later one', () => {
    const mounts: readonly Mount[] = [
      { kind: 'readable', path: '/a/b/c' },
      { kind: 'hidden', path: '/a' },
      { kind: 'writable', path: '/a/b' },
      { kind: 'own', path: '/a', from: '/x' },
    ];
    expect(orderMounts(mounts).map(({ kind, path }) => `${kind} ${path}`)).toEqual(['own /a', 'writable /a/b', 'readable /a/b/c']);
  });

  it('never covers a path by one above it', () => {
    const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
    const mount = fc.record({ kind: fc.constantFrom('hidden' as const, 'readable' as const), path });
    fc.assert(
      fc.property(fc.array(mount, { maxLength: 12 }), (mounts) => {
        const ordered = orderMounts(mounts);
        ordered.forEach((later, index) => {
          for (const earlier of ordered.slice(0, index))
            expect(earlier.path !== later.path && !isWithin(earlier.path, later.path)).toBe(true);
        });
      }),
    );
  });
});

describe('the words for bubblewrap', () => {
  it('take the power of root away, processes, and the way to type into the terminal', () => {
    const words = planBubblewrap(CONFINEMENT).join(' ');
    for (const word of ['--unshare-user --uid 1000 --gid 1000', '--unshare-pid', '--new-session', '--die-with-parent', '--ro-bind / /'])
      expect(words).toContain(word);
    expect(words).toContain('--proc /proc --ro-bind /proc/sys /proc/sys');
    expect(words).not.toContain('--unshare-net');
    expect(words.endsWith('--chdir /w --')).toBe(true);
  });

  it('cut the network off where that is wanted', () => {
    expect(planBubblewrap({ ...CONFINEMENT, hasNetwork: false })).toContain('--unshare-net');
  });
});

describe('what a turn sees', () => {
  it('is a workspace that can be read, in a home of its own, without what Ralph keeps there', () => {
    const mounts = planMounts(FACTS);
    expect(
      [
        '/home/other',
        '/home/uma/.ssh',
        '/home/uma/work/src',
        '/home/uma/work/.agent/x',
        '/home/uma/work/.ralph/runs',
        '/tmp/x',
        '/root',
      ].map((path) => find(mounts, path)),
    ).toEqual(['hidden', 'own', 'readable', 'writable', 'hidden', 'own', 'hidden']);
  });

  it('may be written where the hat may write, but for what Ralph keeps there', () => {
    const mounts = planMounts({ ...FACTS, isWritable: true });
    expect([find(mounts, '/home/uma/work/src'), find(mounts, '/home/uma/work/.ralph/x')]).toEqual(['writable', 'hidden']);
  });

  it('can be committed to by a hat that may write, whatever of the workspace is needed', () => {
    const needed = ['/home/uma/work', '/home/uma/work/.git', '/home/uma/work/node_modules/.bin', '/home/uma/work/.ralph/bin'].map(
      (path) => ({
        path,
        real: path,
      }),
    );
    const mounts = planMounts({ ...FACTS, needed, isWritable: true });
    const paths = [
      '/home/uma/work/.git/index',
      '/home/uma/work/node_modules/.bin/x',
      '/home/uma/work/.ralph/bin',
      '/home/uma/work/.ralph/x',
    ];
    expect(paths.map((path) => find(mounts, path))).toEqual(['writable', 'writable', 'readable', 'hidden']);
    expect(find(planMounts({ ...FACTS, needed }), '/home/uma/work/.git/index')).toBe('readable');
  });

  it('has the repository writable where the workspace is a part of it, but never where it is a whole home', () => {
    const toKind = (workspace: string, root: string, isWritable = true): string | undefined => {
      const needed = [root, `${root}/.git`].map((path) => ({ path, real: path }));
      const repository = { root, written: [`${root}/.git`], kept: [] };
      return find(planMounts({ ...FACTS, workspace, needed, repository, isWritable }), `${root}/.git/index`);
    };
    expect([
      toKind('/home/uma/work/sub', '/home/uma/work'),
      toKind('/home/uma/work/sub', '/home/uma/work', false),
      toKind('/srv/work/sub', '/srv/work'),
      toKind('/home/uma/work', '/home/uma'),
      toKind('/home/eva/work', '/home/eva'),
    ]).toEqual(['writable', 'readable', 'writable', 'readable', 'readable']);
  });

  it("never shows somebody else's whole home, though it is on PATH", () => {
    const needed = ['/home/eva', '/home/eva/bin'].map((path) => ({ path, real: path }));
    const mounts = planMounts({ ...FACTS, needed });
    expect([find(mounts, '/home/eva/.ssh'), find(mounts, '/home/eva/bin/x')]).toEqual(['hidden', 'readable']);
  });

  it('shows what is needed only where something hides it, and never a whole home', () => {
    const needed = ['/usr/bin', '/home/uma/.nvm', '/home/uma', '/home', '/', '/tmp', '/home/uma/work/.ralph/bin'].map((path) => ({
      path,
      real: path,
    }));
    const readable = planMounts({ ...FACTS, needed }).filter(({ kind }) => kind === 'readable');
    expect([...new Set(readable.map(({ path }) => path))].sort()).toEqual([
      '/home/uma/.nvm',
      '/home/uma/work',
      '/home/uma/work/.ralph/bin',
    ]);
  });

  it('has the home of a CLI at its usual place, wherever a variable had moved it', () => {
    const { items, variables } = planHome(findCli('claude'), '/home/uma', { CLAUDE_CONFIG_DIR: '/data/claude' });
    expect(items).toContainEqual({
      from: '/data/claude/.credentials.json',
      to: '.claude/.credentials.json',
      kind: 'login',
      tokens: expect.arrayContaining(['refreshToken']) as unknown,
    });
    expect(items).toContainEqual({ from: '/data/claude/.claude.json', to: '.claude/.claude.json', kind: 'copy' });
    expect(variables).toMatchObject({ CLAUDE_CONFIG_DIR: '.claude' });
    const moved = planHome(findCli('opencode'), '/home/uma', { XDG_DATA_HOME: '/data' });
    expect(moved.items).toContainEqual({
      from: '/data/opencode/auth.json',
      to: '.local/share/opencode/auth.json',
      kind: 'login',
      tokens: expect.arrayContaining(['refresh']) as unknown,
    });
    expect(moved.variables).toMatchObject({ XDG_DATA_HOME: null });
  });
});

describe('the profile for macOS, which was never run', () => {
  it('denies writing, then opens what may be written', () => {
    const text = planSeatbelt({ ...CONFINEMENT, hasNetwork: false, mounts: planMounts(FACTS) });
    expect(text.indexOf('(deny file-write*)')).toBeLessThan(
      text.indexOf('(allow file-read* file-write* (subpath "/home/uma/work/.agent"))'),
    );
    expect(text).toContain('(deny file-write* (subpath "/home/uma/work"))');
    expect(text).toContain('(deny network*)');
  });

  /** What the last rule that fits a path says of an action. */
  function ask(text: string, action: string, path: string): string | undefined {
    const rules = [...text.matchAll(/^\((allow|deny) ([\w* -]+) \(subpath "([^"]+)"\)\)$/gm)];
    return rules.filter(([, , actions = '', place = '']) => actions.split(' ').includes(action) && isWithin(path, place)).pop()?.[1];
  }

  it("opens the turn's own home in the folder that it denies, and denies the real home and all others", () => {
    const home = { from: '/Users/uma/work/.ralph/runs/r/private/1.1/home', path: '/Users/uma' };
    const own = { home, workspace: '/Users/uma/work', stateDir: '/Users/uma/work/.ralph', writable: ['/Users/uma/work/.agent'] };
    const homeFolders = [{ kind: 'readable', path: '/Users/uma/.claude/agents', from: '/Users/uma/.claude/agents' }] as const;
    const needed = [{ path: '/Users/uma/.nvm', real: '/Users/uma/.nvm' }];
    const facts = { ...FACTS, ...own, homeFolders, needed, hidden: ['/Users'], homes: ['/Users'] };
    const text = planSeatbelt({ ...CONFINEMENT, mounts: planMounts(facts) });
    const reads = [`${home.from}/.claude/x`, '/Users/uma/work/src', '/Users/uma/.nvm/x', '/Users/uma/.claude/agents/x'];
    expect(reads.map((path) => ask(text, 'file-read*', path))).toEqual(['allow', 'allow', 'allow', 'allow']);
    const secrets = ['/Users/uma/.ssh/id', '/Users/eva/x', '/Users/uma/work/.ralph/journal', '/tmp/x'];
    expect(secrets.map((path) => ask(text, 'file-read*', path))).toEqual(['deny', 'deny', 'deny', 'deny']);
    const writes = [`${home.from}/x`, '/Users/uma/work/.agent/x', '/Users/uma/work/src', '/Users/uma/.nvm/x', '/Users/uma/.zshrc'];
    expect(writes.map((path) => ask(text, 'file-write*', path))).toEqual(['allow', 'allow', 'deny', 'deny', 'deny']);
    expect(text).toContain('(allow file-read-metadata (literal "/Users/uma"))');
  });

  it('cannot be broken out of by a path', () => {
    const text = planSeatbelt({ ...CONFINEMENT, mounts: [{ kind: 'readable', path: '/a") (allow file-write* (subpath "/' }] });
    expect(text).not.toContain('(allow file-write* (subpath "/")');
  });
});
