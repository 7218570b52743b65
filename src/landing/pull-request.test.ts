import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findDraftWay, parseRemote, withoutLogins } from './pull-request.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'ralph-pr-'));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** A `gh` that is signed in to these hosts alone. */
function makeGh(...hosts: readonly string[]): string {
  const folder = mkdtempSync(join(FOLDER, 'bin-'));
  writeFileSync(join(folder, 'gh'), `#!/bin/sh\ncase "$4" in ${['none', ...hosts].join('|')}) exit 0 ;; esac\nexit 1\n`);
  chmodSync(join(folder, 'gh'), 0o755);
  return folder;
}

const project = mkdtempSync(join(FOLDER, 'project-'));
const find = (url: string, env: Readonly<Record<string, string>> = {}) => findDraftWay(project, [url], { PATH: '', ...env });

describe('with gh', () => {
  const PATH = makeGh('ghe.example');

  it('asks it for the repository that the remote leads to', async () => {
    expect(await find('git@github.com:o/n.git', { PATH })).toMatchObject({ kind: 'gh', repository: 'github.com/o/n' });
    expect(await find('ssh://git@ghe.example:2222/o/n', { PATH })).toMatchObject({ kind: 'gh', repository: 'ghe.example/o/n' });
  });

  it('leaves it to gh which host a name of the person’s own ssh stands for', async () => {
    expect(await find('work:o/n.git', { PATH })).toMatchObject({ kind: 'gh', repository: null });
  });

  it.each([
    ['https://gitlab.com/o/n.git', 'not signed in to gitlab.com'],
    ['https://gitlab.com/group/sub/n.git', 'something else on gitlab.com'],
    ['/srv/git/o/n.git', 'is a folder, and no forge'],
  ])('writes files for %s', async (url, why) => {
    expect(await find(url, { PATH, GH_TOKEN: 'x' })).toEqual({ kind: 'files', why: expect.stringContaining(why) });
  });
});

describe('without gh', () => {
  const CLOUD = 'https://api.github.com';

  it('asks the API of the host that the remote leads to', async () => {
    const toApi = async (url: string, env: Readonly<Record<string, string>>) => {
      const way = await find(url, env);
      return way.kind === 'api' ? [way.api, way.repository, way.token] : way;
    };
    expect(await toApi('git@github.com:o/n.git', { GITHUB_TOKEN: 'a' })).toEqual([CLOUD, 'o/n', 'a']);
    expect(await toApi('git@github.com:o/n.git', { GITHUB_TOKEN: 'a', GITHUB_API_URL: `${CLOUD}/` })).toEqual([CLOUD, 'o/n', 'a']);
    const own = { GITHUB_API_URL: 'https://ghe.example/api/v3', GITHUB_TOKEN: 'a' };
    expect(await toApi('https://ghe.example/o/n', own)).toEqual([own.GITHUB_API_URL, 'o/n', 'a']);
    expect(await toApi('https://ghe.example/o/n', { ...own, GH_ENTERPRISE_TOKEN: 'b' })).toEqual([own.GITHUB_API_URL, 'o/n', 'b']);
    expect(await toApi('git@github.com:o/n.git', { GITHUB_TOKEN: 'a', GH_ENTERPRISE_TOKEN: 'b' })).toEqual([CLOUD, 'o/n', 'a']);
    const apart = { GITHUB_API_URL: 'https://api.firm.ghe.com', GITHUB_TOKEN: 'a' };
    expect(await toApi('https://firm.ghe.com/o/n', apart)).toEqual([apart.GITHUB_API_URL, 'o/n', 'a']);
  });

  it.each([
    ['https://gitlab.com/o/n', { GITHUB_API_URL: CLOUD }, 'not the API of gitlab.com'],
    ['https://github.com/o/n', { GITHUB_API_URL: 'https://ghe.example/api/v3' }, 'not the API of github.com'],
    ['https://ghe.example/o/n', { GITHUB_API_URL: 'http://ghe.example/api/v3' }, 'not the API of ghe.example'],
    ['https://ghe.example/o/n', { GITHUB_API_URL: 'nonsense' }, 'not the API of ghe.example'],
    ['https://ghe.example/o/n', {}, 'GITHUB_API_URL sets the address'],
  ])('sends the token for %s nowhere with %j', async (url, env, why) => {
    expect(await find(url, { GH_TOKEN: 'x', ...env })).toEqual({ kind: 'files', why: expect.stringContaining(why) });
  });

  it('has no use for a token of another host', async () => {
    expect(await find('https://github.com/o/n', { GH_ENTERPRISE_TOKEN: 'b' })).toMatchObject({ kind: 'files' });
  });
});

it('what others say is shown without tokens, and without the names and passwords of web addresses', () => {
  const env = { GH_TOKEN: 'ghp_1', GITHUB_ENTERPRISE_TOKEN: 'ghe_2' };
  const said = "fatal: unable to access 'https://ann:p@ss@host.example/o/n/': ghp_1 ghe_2; ssh://git@host.example/o/n";
  expect(withoutLogins(said, env)).toBe(
    "fatal: unable to access 'https://host.example/o/n/': [GH_TOKEN] [GITHUB_ENTERPRISE_TOKEN]; ssh://git@host.example/o/n",
  );
});

const GITHUB = { host: 'github.com', repository: 'owner/na.me' };

it.each([
  'https://github.com/owner/na.me',
  'https://github.com/owner/na.me.git',
  'https://GitHub.com/owner/na.me.git/',
  'https://www.github.com/owner/na.me',
  'http://github.com:80/owner/na.me.git',
  'https://user@github.com/owner/na.me.git',
  'https://x-access-token:ghs_secret@github.com/owner/na.me.git',
  'https://user:p@ss:w@github.com/owner/na.me.git',
  'https://github.com/owner/na.me.git?token=x',
  'ssh://git@github.com/owner/na.me.git',
  'ssh://git@github.com:22/owner/na.me.git',
  'ssh://git@ssh.github.com:443/owner/na.me.git',
  'git+ssh://git@github.com/owner/na.me',
  'git://github.com/owner/na.me.git',
  'git@github.com:owner/na.me.git',
  'git@github.com:/owner/na.me.git',
  'github.com:owner/na.me',
  'org-12@github.com:owner/na.me.git',
])('finds host and repository in %s', (url) => {
  expect(parseRemote(url)).toEqual(GITHUB);
});

it.each([
  ['git@ghe.example.com:owner/name.git', 'ghe.example.com', 'owner/name'],
  ['ssh://git@ghe.example.com:2222/owner/name', 'ghe.example.com', 'owner/name'],
  ['https://gitlab.com/group/subgroup/name.git', 'gitlab.com', null],
  ['https://dev.azure.com/org/project/_git/name', 'dev.azure.com', null],
  ['work:owner/name.git', 'work', 'owner/name'],
  ['https://github.com/owner', 'github.com', null],
  ['https://github.com/../name', 'github.com', null],
  ['https://github.com@evil.example/owner/name', 'evil.example', 'owner/name'],
  ['https://evil.example/github.com/owner', 'evil.example', 'github.com/owner'],
])('tells of %s what can be told', (url, host, repository) => {
  expect(parseRemote(url)).toEqual({ host, repository });
});

it.each([
  '',
  '/srv/git/name.git',
  '../name.git',
  'file:///srv/name.git',
  'file://host/owner/name',
  'C:\\work\\name',
  'C:/work/name',
  'https://evil.example#@github.com/owner/name',
])('finds no host in %j', (url) => {
  expect(parseRemote(url)).toBeNull();
});
