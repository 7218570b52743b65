/** Attacks by a shell that wears a hat which may not write, held by the sandbox of the operating system. Nothing may be left behind. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { BUILT_IN_CARDS } from '../../src/core/tools/built-in-cards.ts';
import { BUILT_IN_POLICIES, resolveProfile, toCapabilities } from '../../src/core/tools/tool-profiles.ts';
import { type CommandResult, runToEnd } from '../../src/process/index.ts';
import { createTurnSandboxes, findOsSandbox, type SandboxSettings, sweepPrivate, type TurnSandbox } from '../../src/sandbox/index.ts';

const SANDBOX = await findOsSandbox(process.env, import.meta.dirname);
const bases: string[] = [];
afterAll(() => {
  for (const base of bases) rmSync(base, { recursive: true, force: true });
});

interface Place {
  readonly base: string;
  readonly workspace: string;
  /** A user's home that is not root's, with a login in a file. */
  readonly home: string;
  readonly run: string;
  readonly put: (path: string, text: string) => void;
  readonly read: (path: string) => string;
}

function createPlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'ralph-cage-')));
  bases.push(base);
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  const run = join(base, 'work/.ralph/runs/r1');
  put('work/src/a.txt', 'a\n');
  put('work/src/b.txt', 'b\n');
  put('work/.gitignore', '.agent/\n.ralph/\nbuild/\ncoverage/\n');
  put('work/package.json', JSON.stringify({ scripts: { test: "node -e \"require('fs').writeFileSync('coverage/c', '1')\"" } }));
  put('work/.agent/events.jsonl', '');
  put('work/build/old.js', 'old\n');
  put('work/lib/__pycache__/a.pyc', 'compiled\n');
  put('work/.ralph/runs/r1/contract.json', '{"contract":1}');
  put('work/.ralph/runs/r1/settings.json', '{"secret":"s3cret"}');
  put('home/.claude/.credentials.json', '{"accessToken":"first"}');
  put('home/.claude/settings.json', '{"mine":1}');
  put('home/.claude.json', '{"onboarded":true}');
  put('home/.bashrc', 'mine\n');
  put('home/private.txt', 'private\n');
  put('other/secret.txt', 'other\n');
  chmodSync(join(base, 'home/.claude/.credentials.json'), 0o600);
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=U', '-c', 'user.email=u@e', ...args], { cwd: join(base, 'work'), stdio: 'ignore' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  return {
    base,
    workspace: join(base, 'work'),
    home: join(base, 'home'),
    run,
    put,
    read: (path) => readFileSync(join(base, path), 'utf8'),
  };
}

const SETTINGS: SandboxSettings = { mode: 'required', scratch: [], readable: [], hasNetwork: true };

async function openSandbox(place: Place, profile = 'critic', settings: Partial<SandboxSettings> = {}): Promise<TurnSandbox> {
  const sandboxes = createTurnSandboxes({
    privateDir: join(place.run, 'private'),
    workspace: place.workspace,
    stateDir: join(place.workspace, '.ralph'),
    agentDirs: ['.agent'],
    more: [join(place.run, 'contract.json')],
    sandbox: { ...SETTINGS, ...settings },
    os: SANDBOX,
    folders: {
      listTracked: async (folders) => folders.filter((folder) => folder.startsWith('src')),
      listIgnored: async (folders) => folders.filter((folder) => folder === 'dist'),
    },
  });
  return sandboxes.open({
    turn: '1.1',
    cli: 'claude',
    may: toCapabilities(resolveProfile(BUILT_IN_POLICIES[profile] ?? null, BUILT_IN_CARDS)),
    mode: 'required',
    args: [],
    permissions: 'bypass',
    env: toEnvironment(place),
    cwd: place.workspace,
    qualityCommands: ['npm test'],
    attach: () => null,
    more: [],
  });
}

function toEnvironment({ home, base }: Place): Record<string, string> {
  const path = [dirname(process.execPath), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'].join(delimiter);
  return {
    PATH: path,
    HOME: home,
    LANG: 'C.UTF-8',
    OUTER_PID: String(process.pid),
    BASE: base,
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/x',
    XDG_CACHE_HOME: '/opt/somebodys-cache',
  };
}

/** Runs a script as the hat would, and takes everything back. */
async function attack(place: Place, script: string, profile = 'critic', settings: Partial<SandboxSettings> = {}): Promise<CommandResult> {
  const sandbox = await openSandbox(place, profile, settings);
  const program = { path: '/bin/bash', args: ['-c', script], env: toEnvironment(place) };
  const confined = sandbox.scope.confine?.(program) ?? program;
  const result = await runToEnd({
    command: confined.path,
    args: confined.args,
    cwd: place.workspace,
    env: confined.env,
    timeoutMs: 20_000,
  });
  sandbox.close();
  return result;
}

/** Every file of a place by its content, but for what a hat may write. */
function photograph(place: Place): ReadonlyMap<string, string> {
  const seen = new Map<string, string>();
  const walk = (path: string): void => {
    const file = join(place.base, path);
    const stats = lstatSync(file);
    if (['work/.agent', 'work/build', 'work/coverage', 'work/dist', 'work/.ralph/runs/r1/private'].includes(path)) return;
    if (stats.isDirectory()) {
      seen.set(path, `folder ${stats.mode}`);
      for (const name of readdirSync(file)) walk(path === '' ? name : `${path}/${name}`);
    } else if (stats.isSymbolicLink()) seen.set(path, `link ${readlinkSync(file)}`);
    else seen.set(path, `${stats.mode} ${stats.nlink} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`);
  };
  walk('');
  return seen;
}

const WRITES: readonly (readonly [name: string, script: string])[] = [
  ['redirects into a file', 'echo evil > src/a.txt'],
  ['appends to a file', 'echo evil >> src/a.txt'],
  ['makes a file', 'touch src/new.txt; echo x > new.txt'],
  ['renames a file', 'mv src/a.txt src/c.txt'],
  ['moves a file of its own over another', 'echo evil > .agent/x; mv -f .agent/x src/a.txt'],
  ['removes a file', 'rm -f src/a.txt; rm -rf src'],
  ['makes a folder', 'mkdir evil src/evil'],
  ['makes a symbolic link', 'ln -s /etc/passwd src/link; ln -sfn /tmp src'],
  ['writes through a link from its own folder', 'ln -s ../src/a.txt .agent/l; echo evil > .agent/l'],
  ['writes through a hard link', 'ln src/a.txt .agent/h && echo evil > .agent/h; ln src/a.txt build/h && echo evil > build/h'],
  ['puts a link in the place of its own folder', 'rm -rf .agent; ln -sfn src .agent; echo evil > .agent/a.txt; mkdir -p .agent'],
  ['moves the folder that it may write', 'mv build src/build; mv build b2; mv .agent agent2'],
  ['changes modes and owners', 'chmod 777 src/a.txt; chmod u+s src/a.txt; chown 0:0 src/a.txt; touch -d 2001-01-01 src'],
  ['cuts a file', 'truncate -s 0 src/a.txt; : > src/b.txt'],
  ['sets a flag of the file system', 'chattr +i src/a.txt; chattr -i src/a.txt && echo evil > src/a.txt'],
  ['remounts the folder', 'mount -o remount,rw,bind "$PWD"; mount -o remount,rw /; echo evil > src/a.txt'],
  ['binds the folder elsewhere', 'mkdir -p /tmp/m; mount --bind "$PWD" /tmp/m; echo evil > /tmp/m/src/a.txt'],
  ['unmounts what covers it', 'umount -l "$PWD"; umount -l "$PWD/.ralph"; umount -l "$HOME"; echo evil > src/a.txt'],
  [
    'becomes root of a namespace of its own',
    'unshare -Urm bash -c \'mount -o remount,rw,bind "$PWD"; umount -l "$PWD"; echo evil > src/a.txt\'',
  ],
  [
    'unmounts in a namespace of its own',
    'unshare -Urmp --fork bash -c \'umount -l "$PWD" "$HOME" /tmp; echo evil > "$BASE/home/.bashrc"; echo evil > "$BASE/work/src/a.txt"\'',
  ],
  [
    'enters another namespace',
    'nsenter -t 1 -m -p bash -c "echo evil > $PWD/src/a.txt"; nsenter -t $OUTER_PID -m true && echo evil > src/a.txt',
  ],
  ['goes by /proc/1/root', 'echo evil > /proc/1/root$PWD/src/a.txt; echo evil > /proc/1/cwd/src/a.txt'],
  ['goes by every /proc/N/root and cwd', 'for p in /proc/[0-9]*; do echo evil > $p/root$PWD/src/a.txt; echo evil > $p/cwd/src/a.txt; done'],
  ['goes by descriptors that were left open', 'for f in /proc/self/fd/*; do echo evil > $f/../src/a.txt; echo evil > $f; done'],
  ['changes its root', 'chroot /proc/1/root bash -c "echo evil > $PWD/src/a.txt"; chroot . /bin/true'],
  [
    'opens the disk itself',
    'mknod .agent/disk b 254 0 && echo evil > .agent/disk; mknod /tmp/disk b 8 0 && echo evil > /tmp/disk; ls /dev/vda /dev/sda',
  ],
  ['configures git', 'git config core.hooksPath /tmp/x; git config --worktree a.b c; echo evil >> .git/config'],
  ['plants a hook', 'mkdir -p .git/hooks; printf "#!/bin/sh\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit'],
  ['commits', 'git -c user.name=x -c user.email=x@y commit --allow-empty -m evil; git stash; git tag evil; git branch evil'],
  ['moves refs by hand', 'git update-ref refs/heads/evil HEAD; echo 0 > .git/refs/heads/main; echo x > .git/HEAD; rm -f .git/index'],
  ['writes by an option of git', 'git log --output=pwn.txt; git diff --output=pwn2.txt; git archive -o pwn.tar HEAD'],
  ['works on the tree from elsewhere', 'cd /tmp && git --git-dir="$BASE/work/.git" --work-tree="$BASE/work" checkout -f -b evil'],
  [
    "writes to its user's home",
    'echo evil >> ~/.bashrc; echo evil > ~/.claude/settings.json; mkdir -p ~/.ssh; echo key > ~/.ssh/authorized_keys',
  ],
  ["writes to somebody else's folder", 'echo evil > "$BASE/other/secret.txt"; mkdir -p "$BASE/other"; touch "$BASE/other/x"'],
  ["writes Ralph's journal", 'echo evil > .ralph/runs/r1/journal.jsonl; echo "{}" > .ralph/runs/r1/contract.json; rm -rf .ralph'],
  ['writes where programs are', 'echo evil > /usr/local/bin/ralph-evil; echo evil >> /etc/profile; echo x > "$(command -v node)"'],
  [
    'leaves something running',
    '(setsid nohup bash -c "sleep 0.4; echo evil > src/a.txt; echo evil > $BASE/late.txt" >/dev/null 2>&1 &) ; exit 0',
  ],
  ['leaves compiled code that somebody else would run', 'echo evil > lib/__pycache__/a.pyc; touch lib/__pycache__/b.pyc'],
  [
    'puts links in the place of folders that it may write',
    'mv build b2; rm -rf build coverage; ln -sfn src build; ln -sfn src coverage; ln -s ../src .agent/workspace; echo evil > build/a.txt',
  ],
  [
    'gives a folder the name of one that it may write',
    'mkdir -p src/dist src/coverage; mv src dist; ln -s src dist; echo evil > dist/a.txt',
  ],
  ['replaces what publishes its events', 'echo evil > .ralph/bin/ralph; rm -f .ralph/bin/ralph; ln -sf /bin/true .ralph/bin/ralph'],
  ['writes the state of another run', 'mkdir -p .ralph/runs/r0; echo evil > .ralph/runs/r0/journal.jsonl; rm -rf .ralph/runs/*'],
  [
    'writes into the cache of the user',
    'mkdir -p "$BASE/cache"; echo evil > "$BASE/cache/x"; mkdir -p "$XDG_CACHE_HOME"; echo evil > "$XDG_CACHE_HOME/x"',
  ],
  ['ends the process that watches it', 'kill -9 $OUTER_PID; kill -9 -1'],
];

describe.skipIf(SANDBOX.found === null)('a critic in the sandbox', () => {
  it.each(WRITES)('leaves nothing behind when it %s', async (_, script) => {
    const place = createPlace();
    const before = photograph(place);
    await attack(place, script);
    await delay(script.includes('setsid') ? 600 : 0);
    expect(photograph(place)).toEqual(before);
  });

  it.each([
    ["other users' homes", 'ls -A /root /home 2>/dev/null | grep -v "^/" | grep .'],
    ["what lies in its user's home", 'cat ~/private.txt'],
    ["Ralph's own files", 'cat .ralph/runs/r1/settings.json'],
    ['sockets of daemons', 'find /run /var/run/ -type s 2>/dev/null | grep .'],
    ['processes outside', '[ -e /proc/$OUTER_PID/cmdline ] && tr "\\0" " " < /proc/$OUTER_PID/cmdline | grep vitest'],
    ['the way to the session bus', 'printenv DBUS_SESSION_BUS_ADDRESS'],
    ['more power than a user has', 'grep CapEff /proc/self/status | grep -v 0000000000000000'],
    ['a key of the kernel', '[ -w /proc/sysrq-trigger ] && echo writable'],
    [
      'a terminal to type into',
      `python3 -c 'import fcntl,os,termios; fcntl.ioctl(os.open("/dev/tty", os.O_RDWR), termios.TIOCSTI, b"x"); print("typed")'`,
    ],
    ['a way to change the kernel', 'p=/proc/sys/kernel/core_pattern; o=$(cat $p); echo "$o" > $p'],
  ])('does not get %s', async (_, script) => {
    const { stdout, exitCode } = await attack(createPlace(), `exec 2>/dev/null; ${script}`);
    expect([stdout, exitCode === 0]).toEqual(['', false]);
  });

  it('can run the tests, read, and hand its work on', async () => {
    const place = createPlace();
    const script = `cat src/a.txt && git status --short && git log --oneline | wc -l && npm test --silent && echo x > build/new.js \
      && echo '{"topic":"review.done"}' >> .agent/events.jsonl && echo n > .agent/n.tmp && mv .agent/n.tmp .agent/notes.md \
      && mkdir -p "\${XDG_CACHE_HOME:-$HOME/.cache}/x" && echo t > "$TMPDIR/t" && echo t > /tmp/t && cat .ralph/runs/r1/contract.json`;
    const { exitCode, stdout, stderr } = await attack(place, script);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe('a\n1\n{"contract":1}');
    expect([place.read('work/coverage/c'), place.read('work/.agent/notes.md'), place.read('work/.agent/events.jsonl')]).toEqual([
      '1',
      'n\n',
      '{"topic":"review.done"}\n',
    ]);
  });

  it('lets a hat that may write write in the workspace only', async () => {
    const place = createPlace();
    await attack(place, 'echo new > src/a.txt; echo evil > "$BASE/other/secret.txt"; echo evil > ~/.bashrc; rm -rf .ralph/runs', 'creator');
    expect([place.read('work/src/a.txt'), place.read('other/secret.txt'), place.read('home/.bashrc')]).toEqual([
      'new\n',
      'other\n',
      'mine\n',
    ]);
    expect(place.read('work/.ralph/runs/r1/contract.json')).toBe('{"contract":1}');
  });

  it('lets a hat that may write commit, from the root, from a folder and from a worktree', async () => {
    const place = createPlace();
    const commit = 'echo new > src/a.txt && git -c user.name=U -c user.email=u@e commit -qam second';
    const inFolder = { ...place, workspace: join(place.workspace, 'src') };
    execFileSync('git', ['worktree', 'add', '-q', '../tree'], { cwd: place.workspace, stdio: 'ignore' });
    const inTree = { ...place, workspace: join(place.base, 'tree') };
    const results = [
      await attack(place, commit, 'creator'),
      await attack(inFolder, commit.replace('src/', '').replace('new', 'newer'), 'creator'),
      await attack(inTree, commit, 'creator'),
    ];
    expect(results.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
    const [critic] = [await attack(inTree, `${commit.replace('new', 'evil')}; git branch evil`)];
    expect(critic?.exitCode).not.toBe(0);
  });

  it('can be cut off from the network', async () => {
    const { stdout } = await attack(
      createPlace(),
      'ls /sys/class/net >/dev/null; cat /proc/net/dev | grep -v -e lo: -e "|" | wc -l',
      'critic',
      {
        hasNetwork: false,
      },
    );
    expect(stdout.trim()).toBe('0');
  });

  it('has shared memory of its own', async () => {
    const name = `/dev/shm/ralph-evil-${process.pid}`;
    expect((await attack(createPlace(), `echo evil > ${name} && cat ${name}`)).stdout).toBe('evil\n');
    expect(existsSync(name)).toBe(false);
  });

  it('finds the folders of builds, also those that git is told to ignore, and leaves none that stayed empty', async () => {
    const place = createPlace();
    place.put('work/packages/one/a.txt', 'a\n');
    const script = 'test -w coverage && test -w dist && ! test -e out && echo 1 > dist/built.js && echo 1 > packages/one/lib/built.js';
    const { stderr } = await attack(place, script, 'critic', { scratch: ['packages/*/lib', '**/gen'] });
    expect([stderr, place.read('work/packages/one/lib/built.js')]).toEqual(['', '1\n']);
    expect(readdirSync(join(place.workspace, 'src'))).toEqual(['a.txt', 'b.txt']);
    expect(() => statSync(join(place.workspace, 'coverage'))).toThrow();
    expect(place.read('work/dist/built.js')).toBe('1\n');
  });
});

it.skipIf(SANDBOX.found === null)('a program of the workspace is not taken for the sandbox', async () => {
  const place = createPlace();
  const bin = join(place.workspace, 'node_modules/.bin');
  place.put('work/node_modules/.bin/bwrap', '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
  chmodSync(join(bin, 'bwrap'), 0o755);
  const { found } = await findOsSandbox({ PATH: [bin, process.env['PATH']].join(delimiter) }, place.workspace);
  expect(found).toEqual(SANDBOX.found);
  expect(await findOsSandbox({ PATH: bin }, place.workspace)).toMatchObject({ found: null });
});

describe.skipIf(SANDBOX.found === null)('a user who is signed in by a file', () => {
  const CREDENTIALS = 'home/.claude/.credentials.json';

  it('stays signed in, with the settings at hand', async () => {
    const { stdout } = await attack(createPlace(), 'cat ~/.claude/.credentials.json ~/.claude/settings.json ~/.claude.json');
    expect(stdout).toBe('{"accessToken":"first"}{"mine":1}{"onboarded":true}');
  });

  it('gets the token that the CLI refreshed, as its own file was', async () => {
    const place = createPlace();
    await attack(
      place,
      `cd ~/.claude && echo '{"accessToken":"second"}' > new && mv new .credentials.json && echo {} > ~/.x && mv ~/.x ~/.claude.json`,
    );
    expect([place.read(CREDENTIALS), place.read('home/.claude.json')]).toEqual(['{"accessToken":"second"}', '{"onboarded":true}']);
    expect(statSync(join(place.base, CREDENTIALS)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['rubbish', 'echo rubbish > ~/.claude/.credentials.json'],
    ['nothing', 'rm ~/.claude/.credentials.json'],
    ['a link to a secret', 'ln -sf /etc/passwd ~/.claude/.credentials.json'],
    ['JSON of another kind', 'echo \'{"other":1}\' > ~/.claude/.credentials.json'],
    ['one key more', 'echo \'{"accessToken":"second","hooks":{}}\' > ~/.claude/.credentials.json'],
    ['a huge file', 'head -c 3000000 /dev/zero | tr "\\0" " " >> ~/.claude/.credentials.json'],
  ])('does not get %s in the place of the token', async (_, script) => {
    const place = createPlace();
    await attack(place, script);
    expect(place.read(CREDENTIALS)).toBe('{"accessToken":"first"}');
  });

  it('keeps a token that was refreshed outside meanwhile', async () => {
    const place = createPlace();
    const sandbox = await openSandbox(place);
    place.put(CREDENTIALS, '{"accessToken":"outside"}');
    place.put('work/.ralph/runs/r1/private/1.1/home/.claude/.credentials.json', '{"accessToken":"inside"}');
    sandbox.close();
    expect(place.read(CREDENTIALS)).toBe('{"accessToken":"outside"}');
  });

  it('gets a refreshed token also when Ralph was killed in the turn', async () => {
    const place = createPlace();
    await openSandbox(place);
    place.put('work/.ralph/runs/r1/private/1.1/home/.claude/.credentials.json', '{"accessToken":"second"}');
    sweepPrivate(join(place.run, 'private'));
    expect([place.read(CREDENTIALS), readdirSync(join(place.run, 'private'))]).toEqual(['{"accessToken":"second"}', []]);
  });
});

describe('where there is no sandbox', () => {
  it('says why, and what to do', () => {
    expect('why' in SANDBOX ? SANDBOX.why : 'bubblewrap').toMatch(/bubblewrap|sandbox/);
  });

  it('starts no hat that requires it', async () => {
    const place = createPlace();
    const sandboxes = createTurnSandboxes({
      privateDir: join(place.run, 'private'),
      workspace: place.workspace,
      stateDir: join(place.workspace, '.ralph'),
      agentDirs: ['.agent'],
      more: [],
      sandbox: SETTINGS,
      os: { found: null, why: 'there is none.' },
      folders: { listTracked: async () => [], listIgnored: async () => [] },
    });
    const may = toCapabilities(resolveProfile(BUILT_IN_POLICIES['critic'] ?? null, BUILT_IN_CARDS));
    const order = { turn: '1.1', cli: 'claude', may, args: [], permissions: 'bypass', env: {}, cwd: place.workspace } as const;
    const rest = { mode: 'required', qualityCommands: [], attach: () => null, more: [] } as const;
    await expect(sandboxes.open({ ...order, ...rest })).rejects.toThrow('a sandbox is required, and there is none.');
    await expect(sandboxes.open({ ...order, ...rest, mode: 'auto' })).resolves.toMatchObject({ isConfined: false });
  });
});
