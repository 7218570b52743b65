import { expect, it } from 'vitest';
import { parseRemote } from './remote-place.ts';

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
