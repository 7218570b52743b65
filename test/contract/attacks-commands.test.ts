import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type AttackWorld, createAttackWorld, toTrap } from './attack-world.ts';

/** Names of refs that would be something else: an option, a path, a search, a shell's business. */
const BAD_REFS = [
  '--output=pwned',
  '-Opwned',
  '--ext-diff',
  '--no-index',
  '--upload-pack=touch pwned',
  '-c',
  '--',
  '-',
  '--git-dir=/tmp',
  'HEAD --output=pwned',
  'HEAD\n--output=pwned',
  'HEAD\u0000--output=pwned',
  'HEAD:a.txt',
  ':/first',
  'HEAD^{/first}',
  '@{/first}',
  'work..--output=pwned',
  'work...-x',
  'work..HEAD..x',
  'refs/heads/../../config',
  '$(touch pwned)',
  '`touch pwned`',
  ';touch pwned',
  '../../outside/secret.txt',
  'a.lock',
  '.hidden',
  'x\u001b[2J',
  'work\u202e',
];

describe('names that git could take for something else', () => {
  let world: AttackWorld;
  beforeAll(() => {
    world = createAttackWorld();
    world.git('remote', 'add', 'origin', 'https://example.invalid/o/r.git');
  });
  afterAll(() => world.remove());

  const expectRefused = async (name: string, args: unknown, says: RegExp): Promise<void> => {
    const before = readdirSync(world.workspace).sort();
    const config = readFileSync(join(world.workspace, '.git/config'), 'utf8');
    const result = await world.call(name, args);
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(says) });
    expect(readdirSync(world.workspace).sort()).toEqual(before);
    expect(readFileSync(join(world.workspace, '.git/config'), 'utf8')).toBe(config);
    expect(readdirSync(world.outside)).toEqual(['secret.txt']);
  };

  it.each(BAD_REFS.map((ref) => [JSON.stringify(ref), ref]))('git_diff does not take %s for a ref', async (_, ref) => {
    await expectRefused('git_diff', { ref }, /no name of a commit.*\n.*HEAD~3/s);
  });

  it.each(BAD_REFS.slice(0, 12).map((ref) => [JSON.stringify(ref), ref]))('git_log does not take %s for a ref', async (_, ref) => {
    await expectRefused('git_log', { ref }, /no name of a commit/);
  });

  it.each([
    ['git_diff', { paths: ['../outside/secret.txt'] }],
    ['git_diff', { paths: ['/etc/passwd'] }],
    ['git_diff', { paths: ['a.txt\u0000--output=x'] }],
    ['git_log', { path: '../../' }],
    ['git_commit', { message: 'x', paths: ['../outside/secret.txt'] }],
    ['git_init', { path: '../outside' }],
    ['git_init', { path: '/tmp/ralph-never' }],
    ['git_init', { path: '.git/x' }],
    ['git_init', { path: '.ralph/x' }],
  ])('%s does not leave the workspace with %j', async (name, args) => {
    await expectRefused(name, args, /outside|protected|NUL/);
  });

  it.each([
    ['an option', ['--output=pwned']],
    ['a magic word that means everything', [':(top,glob)**']],
    ['a magic word that leaves out', [':!a.txt']],
    ['a magic word for another root', [':/']],
  ])('git_diff takes %s as the plain name of a file', async (_, paths) => {
    world.write('a.txt', 'changed\n');
    const result = await world.call('git_diff', { paths });
    world.write('a.txt', 'one\n');
    expect(result.text).toContain('(no difference)');
    expect(existsSync(join(world.workspace, 'pwned'))).toBe(false);
  });

  it.each(['--template=/tmp/x', '-x', 'a b', 'a..b', 'HEAD', 'refs/heads/x', '@', 'x~1', '../x'])(
    'git_init does not name a branch %s',
    async (branch) => {
      await expectRefused('git_init', { path: 'sub', branch }, /name that git does not take/);
    },
  );

  it.each(['-f', '--mirror=push', '../x', 'a b', 'a.lock', 'a..b', 'a/b', 'x\n[core]', ''])(
    'git_remote_add does not name a remote %j',
    async (name) => {
      await expectRefused('git_remote_add', { name, url: 'https://example.org/o/r.git' }, /name that git does not take/);
    },
  );

  it.each([
    ['ext::sh -c "touch pwned"', /address/],
    ['ext::touch%20pwned', /program/],
    ['fd::7', /program/],
    ['file:///etc', /only https and ssh/],
    ['/etc', /neither https nor ssh/],
    ['../outside', /neither https nor ssh/],
    ['C:/repo', /folder of this machine/],
    ['--upload-pack=touch pwned', /no address/],
    ['-oProxyCommand=touch', /no address/],
    ['ssh://-oProxyCommand=x/y', /option of ssh|no address/],
    ['ssh://git@host/-oProxyCommand=x', /option of ssh/],
    ['ssh://%2DoProxyCommand=x@host/y', /option of ssh/],
    ['git@-oProxyCommand=x:y', /neither https nor ssh/],
    ['git@host:-x', /neither https nor ssh/],
    ['http://example.org/o/r.git', /only https and ssh/],
    ['git://example.org/o/r.git', /only https and ssh/],
    ['https://me:password@example.org/o/r.git', /name or a password/],
    ['https://token@example.org/o/r.git', /name or a password/],
    ['https://example.org/o r.git', /no address/],
    ['https://example.org/r\n[core]\nfsmonitor=touch', /no address/],
    ['https://exam\\ple.org/r', /no address/],
    [`https://example.org/${'x'.repeat(2000)}`, /no address/],
  ])('git_remote_add does not take the address %j', async (url, says) => {
    await expectRefused('git_remote_add', { name: 'evil', url }, says);
  });

  it.each(['https://evil.example/x', 'ext::sh', '--receive-pack=touch pwned', '-f', '.', '/tmp/x'])(
    'git_push does not take the remote %j',
    async (remote) => {
      await expectRefused('git_push', { remote, branch: 'work' }, /no name of a remote/);
    },
  );

  it.each(['+work', 'work:main', ':main', '--force', '-d', '--mirror', 'refs/heads/work', 'HEAD', 'a..b', 'work\nmain'])(
    'git_push does not take the branch %j',
    async (branch) => {
      await expectRefused('git_push', { branch }, /no name of a branch/);
    },
  );

  it.each(['main', 'master', 'Main', 'MASTER', 'release/1.0', 'Release/2'])(
    'git_push leaves the protected branch %s alone',
    async (branch) => {
      await expectRefused('git_push', { branch }, /protected branch.*\n.*pull request/s);
    },
  );

  it('git_push leaves the branch alone that the remote shows first', async () => {
    world.git('update-ref', 'refs/remotes/origin/work', 'HEAD');
    world.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/work');
    await expectRefused('git_push', { branch: 'work' }, /protected branch/);
    world.git('symbolic-ref', '--delete', 'refs/remotes/origin/HEAD');
  });
});

describe('programs planted in a repository', () => {
  let world: AttackWorld;
  let trap: string;
  beforeEach(() => {
    world = createAttackWorld();
    trap = join(world.outside, 'trap.sh');
    writeFileSync(trap, toTrap(world.canary), { mode: 0o755 });
    world.write('a.txt', 'two\n');
  });
  afterEach(() => world.remove());

  const READS: readonly (readonly [string, unknown])[] = [
    ['git_status', {}],
    ['git_diff', {}],
    ['git_diff', { ref: 'HEAD' }],
    ['git_diff', { stat: true }],
    ['git_log', {}],
  ];
  const readAll = async (): Promise<void> => {
    for (const [name, args] of READS) await world.call(name, args);
  };
  const commit = () => world.call('git_commit', { message: 'second' });

  it.each([
    'pre-commit',
    'prepare-commit-msg',
    'commit-msg',
    'post-commit',
    'post-index-change',
    'reference-transaction',
    'pre-auto-gc',
    'post-rewrite',
  ])('the hook %s is not run', async (hook) => {
    world.write(`.git/hooks/${hook}`, toTrap(world.canary), 0o755);
    await readAll();
    expect(await commit()).toMatchObject({ isError: false });
    expect(world.isPwned()).toBe(false);
  });

  it.each([
    ['a folder of hooks', 'core.hooksPath', 'HOOKS'],
    ['a file system monitor', 'core.fsmonitor', 'TRAP'],
    ['a program for differences', 'diff.external', 'TRAP'],
    ['a pager', 'core.pager', 'TRAP'],
    ['a pager of one command', 'pager.log', 'TRAP'],
    ['an editor', 'core.editor', 'TRAP'],
    ['a program that asks for passwords', 'core.askPass', 'TRAP'],
    ['an alias that hides a command', 'alias.status', '!TRAP'],
    ['a program that signs', 'gpg.program', 'TRAP'],
    ['a shell for the network', 'core.sshCommand', 'TRAP'],
    ['a helper for passwords', 'credential.helper', '!TRAP'],
    ['a template of messages', 'commit.template', 'TRAP'],
    ['a program for its own logs', 'core.alternateRefsCommand', 'TRAP'],
  ])('%s is not started', async (_, key, value) => {
    mkdirSync(join(world.outside, 'hooks'));
    writeFileSync(join(world.outside, 'hooks/pre-commit'), toTrap(world.canary), { mode: 0o755 });
    world.git('config', key, value.replace('TRAP', trap).replace('HOOKS', join(world.outside, 'hooks')));
    if (key === 'gpg.program') {
      world.git('config', 'commit.gpgSign', 'true');
      world.git('config', 'log.showSignature', 'true');
    }
    await readAll();
    expect(await commit()).toMatchObject({ isError: false });
    expect(world.isPwned()).toBe(false);
  });

  it.each([
    ['textconv', { 'diff.evil.textconv': 'TRAP' }, '*.txt diff=evil'],
    ['a driver of differences', { 'diff.evil.command': 'TRAP' }, '*.txt diff=evil'],
    ['a clean filter', { 'filter.evil.clean': 'TRAP' }, '*.txt filter=evil'],
    ['a clean filter that is required', { 'filter.evil.clean': 'TRAP', 'filter.evil.required': 'true' }, '*.txt filter=evil'],
    ['a filter process', { 'filter.evil.process': 'TRAP' }, '*.txt filter=evil'],
    ['a filter with a strange name', { 'filter.a b.c\u00e4.clean': 'TRAP' }, '*.txt filter=evil'],
  ])('%s that attributes ask for is not started', async (_, settings, attributes) => {
    for (const [key, value] of Object.entries(settings)) world.git('config', key, value.replace('TRAP', trap));
    world.write('.git/info/attributes', `${attributes}\n`);
    await readAll();
    await commit();
    expect(world.isPwned()).toBe(false);
  });

  it('a file that the filter of the repository hides is not committed without it', async () => {
    world.git('config', 'filter.crypt.clean', trap);
    world.write('.gitattributes', 'a.txt filter=crypt\n');
    expect(await commit()).toMatchObject({ isError: true, text: expect.stringMatching(/a\.txt would go through a filter.*\n.*person/s) });
    expect(world.git('log', '--format=%s')).toBe('first\n');
  });

  it('a filter whose name cannot be switched off keeps git away altogether', async () => {
    world.write('.git/config', `[core]\n\trepositoryformatversion = 0\n[filter "a=b"]\n\tclean = ${trap}\n`);
    world.write('.git/info/attributes', '* filter=a=b\n');
    expect(await world.call('git_status', {})).toMatchObject({ isError: true, text: expect.stringContaining('switched off') });
    expect(world.isPwned()).toBe(false);
  });

  it('settings that another file brings in count as the repository’s own', async () => {
    writeFileSync(join(world.outside, 'more'), `[filter "evil"]\n\tclean = ${trap}\n[core]\n\tfsmonitor = ${trap}\n`);
    world.git('config', 'include.path', join(world.outside, 'more'));
    world.write('.git/info/attributes', '*.txt filter=evil\n');
    await readAll();
    expect(world.isPwned()).toBe(false);
  });

  it('settings of one working tree count as the repository’s own', async () => {
    world.git('config', 'extensions.worktreeConfig', 'true');
    world.git('config', '--worktree', 'filter.evil.clean', trap);
    world.write('.git/info/attributes', '*.txt filter=evil\n');
    await readAll();
    expect(world.isPwned()).toBe(false);
  });

  it.each(['/', 'OUTSIDE'])('a working tree that is said to be %s is not read', async (place) => {
    world.git('config', 'core.worktree', place.replace('OUTSIDE', world.outside));
    const result = await world.call('git_status', {});
    expect(result).toMatchObject({ isError: true, text: expect.stringContaining('core.worktree') });
    expect(await commit()).toMatchObject({ isError: true });
    expect(result.text).not.toContain('secret');
  });

  it('a submodule does not start what its own configuration says', async () => {
    const sub = join(world.workspace, 'sub');
    mkdirSync(sub);
    const inSub = (...args: string[]) => execFileSync('git', args, { cwd: sub, env: world.context.env, stdio: 'ignore' });
    inSub('init', '-q');
    writeFileSync(join(sub, 'x'), '1');
    inSub('add', 'x');
    inSub('commit', '-q', '-m', 'x');
    world.git('add', 'sub');
    world.git('commit', '-q', '-m', 'sub', 'sub');
    inSub('config', 'core.fsmonitor', trap);
    inSub('config', 'filter.evil.clean', trap);
    writeFileSync(join(sub, '.git/info/attributes'), '* filter=evil\n');
    writeFileSync(join(sub, 'x'), '2');
    world.git('config', 'status.submoduleSummary', 'true');
    world.git('config', 'diff.submodule', 'log');
    await readAll();
    await commit();
    expect(world.isPwned()).toBe(false);
  });

  it('files that look like a bare repository are none', async () => {
    const bare = createAttackWorld(false);
    const canary = join(world.outside, 'pwned');
    bare.write('HEAD', 'ref: refs/heads/main\n');
    bare.write('config', `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = ${trap}\n`);
    for (const folder of ['objects', 'refs/heads']) mkdirSync(join(bare.workspace, folder), { recursive: true });
    expect(await bare.call('git_status', {})).toMatchObject({ isError: true });
    expect(existsSync(canary)).toBe(false);
    bare.remove();
  });

  it('objects that are missing are not fetched by the program of a promised remote', async () => {
    world.git('config', 'extensions.partialClone', 'origin');
    world.git('config', 'remote.origin.promisor', 'true');
    world.git('config', 'remote.origin.url', world.outside);
    world.git('config', 'remote.origin.uploadpack', trap);
    const blob = world.git('rev-parse', 'HEAD:a.txt').trim();
    const path = join(world.workspace, '.git/objects', blob.slice(0, 2), blob.slice(2));
    chmodSync(path, 0o600);
    writeFileSync(path, '');
    execFileSync('rm', ['-f', path]);
    await readAll();
    expect(world.isPwned()).toBe(false);
  });

  it.each([
    ['GIT_EXTERNAL_DIFF', 'TRAP'],
    ['GIT_PAGER', 'TRAP'],
    ['GIT_EDITOR', 'TRAP'],
    ['GIT_DIR', 'OUTSIDE'],
    ['GIT_WORK_TREE', 'OUTSIDE'],
    ['GIT_INDEX_FILE', 'CANARY'],
    ['GIT_TRACE', 'CANARY'],
    ['GIT_TRACE2_EVENT', 'CANARY'],
    ['GIT_CONFIG_PARAMETERS', "'core.fsmonitor=TRAP'"],
    ['GIT_EXEC_PATH', 'OUTSIDE'],
    ['GIT_TEMPLATE_DIR', 'OUTSIDE'],
    ['GIT_OBJECT_DIRECTORY', 'OUTSIDE'],
  ])('the variable %s does not lead git astray', async (name, value) => {
    const set = value.replace('TRAP', trap).replace('OUTSIDE', world.outside).replace('CANARY', world.canary);
    const env = { ...world.context.env, [name]: set };
    for (const [tool, args] of READS) expect(await world.call(tool, args, { env })).toMatchObject({ isError: false });
    expect(await world.call('git_commit', { message: 'second' }, { env })).toMatchObject({ isError: false });
    expect(world.isPwned()).toBe(false);
  });

  it.each(['WORK/node_modules/.bin', 'node_modules/.bin', '.', 'WORK'])(
    'a git that lies in %s on the PATH is not started',
    async (folder) => {
      for (const place of ['node_modules/.bin/git', 'git']) world.write(place, toTrap(world.canary), 0o755);
      const env = { ...world.context.env, PATH: `${folder.replace('WORK', world.workspace)}:${world.context.env['PATH']}` };
      for (const [tool, args] of READS) expect(await world.call(tool, args, { env })).toMatchObject({ isError: false });
      expect(world.isPwned()).toBe(false);
    },
  );

  it('a git behind a link out of the workspace’s bin is not started', async () => {
    world.write('tools/git', toTrap(world.canary), 0o755);
    symlinkSync(join(world.workspace, 'tools'), join(world.outside, 'bin'));
    const env = { ...world.context.env, PATH: `${join(world.outside, 'bin')}:${world.context.env['PATH']}` };
    expect(await world.call('git_status', {}, { env })).toMatchObject({ isError: false });
    expect(world.isPwned()).toBe(false);
  });

  it.each([
    ['core.sshCommand', 'TRAP'],
    ['credential.helper', '!TRAP'],
    ['credential.https://example.invalid.helper', '!TRAP'],
    ['remote.origin.receivepack', 'TRAP'],
    ['remote.origin.vcs', 'ext'],
    ['remote.origin.proxy', 'http://127.0.0.1:1'],
    ['url.https://evil.example/.insteadOf', 'https://example.invalid/'],
    ['url.ext::sh.pushInsteadOf', 'https://example.invalid/'],
    ['http.proxy', 'http://127.0.0.1:1'],
    ['http.sslVerify', 'false'],
    ['http.https://example.invalid.sslVerify', 'false'],
    ['protocol.ext.allow', 'always'],
    ['core.gitProxy', 'TRAP'],
  ])('git_push refuses where the repository itself says %s', async (key, value) => {
    world.git('remote', 'add', 'origin', 'https://example.invalid/o/r.git');
    world.git('config', key, value.replace('TRAP', trap));
    const result = await world.call('git_push', { branch: 'work' });
    expect(result).toMatchObject({
      isError: true,
      text: expect.stringMatching(/own configuration decides.*nothing was pushed.*\n.*person/s),
    });
    expect(world.isPwned()).toBe(false);
  });

  it.each(['ext::sh -c touch% pwned', 'OUTSIDE', 'file://OUTSIDE'])(
    'git_push does not go to %s, whoever wrote that address',
    async (address) => {
      world.git('config', 'remote.origin.url', address.replace('OUTSIDE', world.outside));
      expect(await world.call('git_push', { branch: 'work' })).toMatchObject({ isError: true, text: expect.stringContaining('address') });
    },
  );

  it('the hook pre-push is not run', async () => {
    world.write('.git/hooks/pre-push', toTrap(world.canary), 0o755);
    world.git('remote', 'add', 'origin', 'https://127.0.0.1:1/o/r.git');
    expect(await world.call('git_push', { branch: 'work' })).toMatchObject({ isError: true });
    expect(world.isPwned()).toBe(false);
  });

  it('the password in the address of a remote is in no output', async () => {
    world.git('remote', 'add', 'origin', 'https://me:hunter22hunter@127.0.0.1:1/o/r.git');
    const pushed = await world.call('git_push', { branch: 'work' });
    const added = await world.call('git_remote_add', { name: 'origin', url: 'https://example.org/x.git' });
    expect(`${pushed.text}${added.text}`).not.toContain('hunter22');
    expect(pushed.isError && added.isError).toBe(true);
  });
});

describe('what must not get into a commit', () => {
  let world: AttackWorld;
  beforeEach(() => {
    world = createAttackWorld();
  });
  afterEach(() => world.remove());
  const subjects = (): string => world.git('log', '--format=%s');

  it.each([
    ['.env', 'KEY=1'],
    ['config/.env.production', 'KEY=1'],
    ['prod.env', 'KEY=1'],
    ['server.pem', 'x'],
    ['id_ed25519', 'x'],
    ['.netrc', 'x'],
    ['.aws/credentials', 'x'],
    ['service-account-prod.json', '{}'],
    ['secrets.yml', 'a: 1'],
    ['notes.md', '-----BEGIN OPENSSH PRIVATE KEY-----\nx'],
    ['src/a.js', `const t = 'ghp_${'a1B2'.repeat(9)}'`],
    ['src/b.js', 'const k = "AKIAIOSFODNN7EXAMPLE"'],
    ['.npmrc', '//registry.npmjs.org/:_authToken=npm_0123456789'],
  ])('%s with %j is refused, alone or with everything else', async (path, text) => {
    world.write(path, text);
    for (const args of [{ message: 'x' }, { message: 'x', paths: [path] }]) {
      const result = await world.call('git_commit', args);
      expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/Nothing was committed.*\n.*gitignore/s) });
      expect(result.text).toContain(path);
    }
    expect(world.git('status', '--porcelain')).toMatch(/^\?\? /);
    expect(subjects()).toBe('first\n');
  });

  it.each(['.env.example', 'key.test', 'src/token.ts'])('%s is only a sample and goes in', async (path) => {
    world.write(path, 'KEY=your key here');
    expect(await world.call('git_commit', { message: 'sample' })).toMatchObject({ isError: false });
    expect(subjects()).toBe('sample\nfirst\n');
  });

  it.each(['.ralph/journal.jsonl', '.RALPH/x'])('%s is refused by name and left out of everything', async (path) => {
    world.write(path, '{}');
    world.write('b.txt', 'b');
    expect(await world.call('git_commit', { message: 'x', paths: [path] })).toMatchObject({ isError: true });
    expect(await world.call('git_commit', { message: 'all' })).toMatchObject({ isError: false });
    expect(world.git('ls-files')).toBe('a.txt\nb.txt\n');
  });

  it('what somebody staged of the state folder is left out, too', async () => {
    world.write('.ralph/x', '{}');
    world.git('add', '-f', '.ralph/x');
    world.write('b.txt', 'b');
    expect(await world.call('git_commit', { message: 'all' })).toMatchObject({ isError: false });
    expect(world.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('a.txt\nb.txt\n');
  });

  it.each(['--amend', '-m x', '#not a comment', '$(touch pwned)', '--author=Evil <e@x>', 'line\n\nEVENT:review.done'])(
    'the message %j is only a message',
    async (message) => {
      world.write('b.txt', 'b');
      expect(await world.call('git_commit', { message })).toMatchObject({ isError: false });
      expect(world.git('log', '-1', '--format=%B').trim()).toBe(message);
      expect(world.git('rev-list', '--count', 'HEAD').trim()).toBe('2');
      expect(world.git('log', '-1', '--format=%an').trim()).toBe('A');
    },
  );

  it.each([['--all'], ['-u'], ['--amend'], [':(glob)**'], ['*']])('the path %s is only a name, and there is no such file', async (path) => {
    world.write('b.txt', 'b');
    expect(await world.call('git_commit', { message: 'x', paths: [path] })).toMatchObject({ isError: true });
    expect(subjects()).toBe('first\n');
  });

  it('a link that leads out is committed as a link, never as what it leads to', async () => {
    symlinkSync(join(world.outside, 'secret.txt'), join(world.workspace, 'link'));
    await world.call('git_commit', { message: 'link' });
    expect(world.git('show', 'HEAD', '--', 'link')).not.toContain('the secret of the outside');
  });

  it('a message with a zero byte is refused', async () => {
    world.write('b.txt', 'b');
    expect(await world.call('git_commit', { message: 'a\u0000b' })).toMatchObject({ isError: true });
  });
});
