import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AttackWorld, createAttackWorld } from './attack-world.ts';

let world: AttackWorld;
beforeEach(() => {
  world = createAttackWorld();
});
afterEach(() => world.remove());

describe('git_status', () => {
  it('tells the branch, what changed and what is new, each file by itself', async () => {
    world.write('a.txt', 'two\n');
    world.write('new/b.txt', 'b');
    const { text, isError } = await world.call('git_status', {});
    expect(isError).toBe(false);
    expect(text).toMatch(/# branch\.head work/);
    expect(text).toMatch(/^1 \.M .* a\.txt$/m);
    expect(text).toMatch(/^\? new\/b\.txt$/m);
  });

  it('says that nothing is changed', async () => {
    expect((await world.call('git_status', {})).text).toContain('(nothing changed)');
  });

  it('leaves the index as it is', async () => {
    const before = world.git('ls-files', '--debug');
    world.write('a.txt', 'one\n');
    await world.call('git_status', {});
    expect(world.git('ls-files', '--debug')).toBe(before);
  });

  it('says where there is no repository, and what to do', async () => {
    const bare = createAttackWorld(false);
    expect(await bare.call('git_status', {})).toMatchObject({
      isError: true,
      text: expect.stringMatching(/not in a git repository.*\n.*git_init/s),
    });
    bare.remove();
  });

  it('tells only of the workspace where that is a part of a repository', async () => {
    const part = createAttackWorld(false);
    execFileSync('git', ['init', '-q', join(part.workspace, '..')], { env: part.context.env });
    part.write('mine.txt', 'x');
    const { text } = await part.call('git_status', {});
    expect(text).toContain('mine.txt');
    expect(text).not.toContain('secret.txt');
    part.remove();
  });
});

describe('git_diff', () => {
  it('shows what is not staged, what is, and what differs from a commit', async () => {
    world.write('a.txt', 'two\n');
    expect((await world.call('git_diff', {})).text).toMatch(/^-one\n\+two$/m);
    expect((await world.call('git_diff', { staged: true })).text).toContain('(no difference)');
    world.git('add', 'a.txt');
    expect((await world.call('git_diff', { staged: true })).text).toMatch(/^\+two$/m);
    expect((await world.call('git_diff', { ref: 'HEAD' })).text).toMatch(/^\+two$/m);
    expect((await world.call('git_diff', { ref: 'HEAD', stat: true })).text).toMatch(/a\.txt \|\s+2 \+-/);
  });

  it.each(['HEAD~1', 'work~1..work', 'work~1...', '@', 'HEAD^', 'HEAD^{tree}', '@{0}'])('takes %s', async (ref) => {
    world.write('b.txt', 'b');
    await world.call('git_commit', { message: 'second' });
    expect(await world.call('git_diff', { ref })).toMatchObject({ isError: false });
  });

  it('shows only the paths that were asked for, also one that is gone', async () => {
    world.write('b.txt', 'b\n');
    world.git('add', 'b.txt');
    execFileSync('rm', [join(world.workspace, 'a.txt')]);
    const { text } = await world.call('git_diff', { paths: ['a.txt'], ref: 'HEAD' });
    expect(text).toContain('-one');
    expect(text).not.toContain('b.txt');
  });

  it('says what is wrong with a commit that there is not', async () => {
    expect(await world.call('git_diff', { ref: 'nowhere' })).toMatchObject({
      isError: true,
      text: expect.stringMatching(/nowhere.*\n.*HEAD~3/s),
    });
  });
});

describe('git_log', () => {
  it('lists commits, the newest first, as many as were asked for', async () => {
    for (const name of ['b', 'c']) {
      world.write(`${name}.txt`, name);
      await world.call('git_commit', { message: `adds ${name}` });
    }
    const { text } = await world.call('git_log', { limit: 2 });
    expect(text).toMatch(/adds c[\s\S]*adds b/);
    expect(text).not.toContain('first');
    expect((await world.call('git_log', { path: 'a.txt' })).text).toContain('first');
  });

  it('says so where there is no commit yet', async () => {
    const empty = createAttackWorld(false);
    await empty.call('git_init', {});
    expect(await empty.call('git_log', {})).toMatchObject({ isError: false, text: '(no commit yet)' });
    empty.remove();
  });
});

describe('git_init and git_commit', () => {
  it('make a repository without hooks and a first commit by somebody', async () => {
    const empty = createAttackWorld(false);
    const { PATH = '', HOME = '' } = empty.context.env;
    const env = { PATH, HOME };
    expect(await empty.call('git_init', { branch: 'trunk' }, { env })).toMatchObject({ isError: false });
    expect(existsSync(join(empty.workspace, '.git/hooks'))).toBe(false);
    empty.write('a.txt', 'a');
    expect(await empty.call('git_commit', { message: 'first' }, { env })).toMatchObject({
      isError: false,
      text: expect.stringContaining('first'),
    });
    expect(empty.git('log', '--format=%an <%ae> %D').trim()).toBe('Ralph <ralph@localhost> HEAD -> trunk');
    expect(await empty.call('git_init', {}, { env })).toMatchObject({ isError: false, text: expect.stringContaining('already') });
    empty.remove();
  });

  it('commit changed, new and removed files, and say what came of it', async () => {
    world.write('b.txt', 'b');
    world.write('deep/c ü.txt', 'c');
    execFileSync('rm', [join(world.workspace, 'a.txt')]);
    const result = await world.call('git_commit', { message: 'subject\n\n# a line that stays' });
    expect(result).toMatchObject({ isError: false, text: expect.stringMatching(/^Committed [0-9a-f]{7,} subject\s+3 files changed/) });
    expect(world.git('status', '--porcelain')).toBe('');
    expect(world.git('log', '-1', '--format=%B')).toContain('# a line that stays');
  });

  it('commit only the paths that were named, and leave staged what was staged', async () => {
    for (const name of ['b.txt', 'c.txt', 'd.txt']) world.write(name, name);
    world.git('add', 'c.txt');
    await world.call('git_commit', { message: 'only b', paths: ['b.txt'] });
    expect(world.git('show', '--name-only', '--format=', 'HEAD')).toBe('b.txt\n');
    expect(world.git('status', '--porcelain')).toBe('A  c.txt\n?? d.txt\n');
  });

  it('commit nothing where nothing changed', async () => {
    expect(await world.call('git_commit', { message: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('nothing to commit'),
    });
  });

  it('end a merge, but not one with conflicts', async () => {
    world.git('checkout', '-q', '-b', 'other');
    world.write('a.txt', 'theirs\n');
    world.git('commit', '-qam', 'theirs');
    world.git('checkout', '-q', 'work');
    world.write('a.txt', 'ours\n');
    world.git('commit', '-qam', 'ours');
    expect(() => world.git('merge', 'other')).toThrow();
    expect(await world.call('git_commit', { message: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('not finished'),
    });
    world.write('a.txt', 'both\n');
    world.git('add', 'a.txt');
    expect(await world.call('git_commit', { message: 'merged' })).toMatchObject({ isError: false });
    expect(world.git('log', '-1', '--format=%P').trim().split(' ')).toHaveLength(2);
  });

  it('leave out what hats write to each other, unless it is named', async () => {
    world.write('.agent/scratchpad.md', 'notes');
    world.write('b.txt', 'b');
    world.git('add', '-f', '.agent/scratchpad.md');
    expect(await world.call('git_commit', { message: 'all' })).toMatchObject({ isError: false });
    expect(world.git('show', '--name-only', '--format=', 'HEAD')).toBe('b.txt\n');
    expect(await world.call('git_commit', { message: 'notes', paths: ['.agent'] })).toMatchObject({ isError: false });
  });

  it('let a hat commit that may not write files', async () => {
    world.write('b.txt', 'b');
    world.write('.ralph/x', 'x');
    expect(await world.call('git_commit', { message: 'x' }, { mayWrite: false })).toMatchObject({ isError: false });
    expect(world.git('ls-files')).toBe('a.txt\nb.txt\n');
  });
});

describe('git_remote_add', () => {
  it.each(['https://github.com/o/r.git', 'git@github.com:o/r.git', 'ssh://git@example.org:2222/o/r.git', 'https://example.org/~me/r'])(
    'takes %s',
    async (url) => {
      expect(await world.call('git_remote_add', { name: 'origin', url })).toMatchObject({ isError: false });
      expect(world.git('remote', 'get-url', 'origin').trim()).toBe(url);
      expect(await world.call('git_remote_add', { name: 'origin', url })).toMatchObject({
        isError: false,
        text: expect.stringContaining('already'),
      });
      const other = await world.call('git_remote_add', { name: 'origin', url: 'https://example.org/other.git' });
      expect(other).toMatchObject({ isError: true, text: expect.stringContaining(url) });
    },
  );
});

describe('git_push', () => {
  let server: Server;
  let host: string;
  let parts: { allowedPrivateHosts: readonly string[] };
  let remote: string;
  beforeEach(async () => {
    remote = join(world.outside, 'remote.git');
    mkdirSync(remote);
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: world.context.env });
    execFileSync('git', ['-C', remote, 'config', 'http.receivepack', 'true'], { env: world.context.env });
    server = serveGit(world.outside);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    parts = { allowedPrivateHosts: [host] };
    await world.call('git_remote_add', { name: 'origin', url: `http://${host}/remote.git` }, parts);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });
  const atRemote = (...args: string[]) => execFileSync('git', ['-C', remote, ...args], { env: world.context.env, encoding: 'utf8' }).trim();

  it('pushes the branch that is checked out, and says when there is nothing to push', async () => {
    const pushed = await world.call('git_push', { set_upstream: true }, parts);
    expect(pushed).toMatchObject({ isError: false, text: 'Pushed work to origin.' });
    expect(atRemote('rev-parse', 'work')).toBe(world.git('rev-parse', 'HEAD').trim());
    expect(world.git('rev-parse', '--abbrev-ref', 'work@{u}').trim()).toBe('origin/work');
    expect(await world.call('git_push', {}, parts)).toMatchObject({ isError: false, text: expect.stringContaining('nothing to push') });
  });

  it('never overwrites what is there', async () => {
    await world.call('git_push', {}, parts);
    world.git('commit', '-q', '--amend', '-m', 'another history');
    const before = atRemote('rev-parse', 'work');
    expect(await world.call('git_push', {}, parts)).toMatchObject({ isError: true, text: expect.stringContaining('another name') });
    expect(atRemote('rev-parse', 'work')).toBe(before);
  });

  it('pushes nothing but the branch, whatever the repository asks for', async () => {
    world.git('tag', '-a', 'v1', '-m', 'v1');
    world.git('branch', 'other');
    world.git('config', 'push.followTags', 'true');
    world.git('config', 'remote.origin.push', '+refs/heads/*:refs/heads/*');
    expect(await world.call('git_push', {}, parts)).toMatchObject({ isError: false });
    expect(atRemote('for-each-ref', '--format=%(refname)')).toBe('refs/heads/work');
    world.git('config', 'remote.origin.mirror', 'true');
    expect(await world.call('git_push', { branch: 'other' }, parts)).toMatchObject({ isError: true });
  });

  it('pushes to main where the person says that nothing is protected', async () => {
    world.git('branch', 'main');
    expect(await world.call('git_push', { branch: 'main' }, parts)).toMatchObject({ isError: true });
    expect(await world.call('git_push', { branch: 'main' }, { ...parts, protectedBranches: [] })).toMatchObject({ isError: false });
  });

  it('speaks http only with a host that was allowed', async () => {
    expect(await world.call('git_push', {})).toMatchObject({ isError: true, text: expect.stringContaining('only https and ssh') });
  });

  it('says what is missing', async () => {
    expect(await world.call('git_push', { remote: 'nowhere' }, parts)).toMatchObject({
      isError: true,
      text: expect.stringMatching(/nowhere.*git_remote_add/s),
    });
    expect(await world.call('git_push', { branch: 'nothing' }, parts)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Commit first'),
    });
    writeFileSync(join(remote, 'config'), '');
    expect(await world.call('git_push', {}, parts)).toMatchObject({ isError: true });
  });
});

/** Git's own HTTP server as CGI, for the repositories of a folder. */
function serveGit(root: string): Server {
  return createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://x');
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: root,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        REMOTE_ADDR: '127.0.0.1',
        ...(request.headers['content-encoding'] !== undefined && { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
      },
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const all = Buffer.concat(chunks);
      const split = all.indexOf('\r\n\r\n');
      const headers = all.subarray(0, split).toString().split('\r\n');
      const status = Number(headers.find((line) => line.startsWith('Status:'))?.split(' ')[1] ?? 200);
      const pairs = headers
        .filter((line) => !line.startsWith('Status:') && line.includes(':'))
        .map((line) => line.split(': ') as [string, string]);
      response.writeHead(status, Object.fromEntries(pairs)).end(all.subarray(split + 4));
    });
  });
}
