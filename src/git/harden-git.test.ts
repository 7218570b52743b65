import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createGit } from './git.ts';
import { readOwnConfig } from './git-programs.ts';
import { toGitArguments, toGitEnvironment } from './harden-git.ts';
import { createTestRepository, removeTestFolders } from './repository-fixtures.ts';

afterEach(removeTestFolders);

const FOR_BOTH = [
  ...['core.hooksPath', 'core.fsmonitor', 'core.pager', 'core.editor', 'core.quotePath', 'core.safecrlf'],
  ...['commit.gpgSign', 'tag.gpgSign', 'push.gpgSign', 'log.showSignature', 'diff.submodule', 'status.submoduleSummary'],
  ...['submodule.recurse', 'merge.stat', 'gc.auto', 'maintenance.auto', 'init.templateDir', 'safe.bareRepository', 'color.ui'],
];

function listKeys(words: readonly string[]): readonly string[] {
  return words.flatMap((word, place) => (words[place - 1] === '-c' ? [word.split('=')[0] ?? ''] : []));
}

describe('the command line of git', () => {
  it('overrules, for whomever it works, what would start a program, outlive the run or change what is read', () => {
    expect(listKeys(toGitArguments('person', [], ['status']))).toEqual(FOR_BOTH);
    const agent = listKeys(toGitArguments('agent', [], ['status']));
    expect(agent).toEqual(expect.arrayContaining([...FOR_BOTH, 'core.askPass']));
  });

  it('lets a command overrule more, takes the names of a model for names, and looks into no submodule', () => {
    const words = toGitArguments('agent', ['user.useConfigOnly=true'], ['diff', '--', '*']);
    expect(words.slice(-6)).toEqual(['-c', 'user.useConfigOnly=true', 'diff', '--ignore-submodules=dirty', '--', '*']);
    expect(words).toContain('--literal-pathspecs');
    expect(toGitArguments('person', [], ['status'])).not.toContain('--literal-pathspecs');
  });
});

describe('the environment of git', () => {
  const folder = '/work';
  const env = {
    PATH: [join(folder, 'node_modules/.bin'), '/usr/bin'].join(delimiter),
    GIT_AUTHOR_NAME: 'Uma',
    GIT_SSH_COMMAND: 'ssh -i key',
    GIT_DIR: '/elsewhere',
    GIT_EXTERNAL_DIFF: 'program',
    GIT_EDITOR: 'program',
    GIT_CONFIG_COUNT: '0',
    GH_TOKEN: 'secret',
    NOTHING: undefined,
  };

  it('keeps who somebody is and how they sign in, and nothing that leads elsewhere or starts a program', () => {
    for (const user of ['person', 'agent'] as const) {
      const made = toGitEnvironment({ user, env, folder });
      expect(made).toMatchObject({ GIT_AUTHOR_NAME: 'Uma', GIT_SSH_COMMAND: 'ssh -i key', GIT_EDITOR: 'true', GIT_TERMINAL_PROMPT: '0' });
      for (const name of ['GIT_DIR', 'GIT_EXTERNAL_DIFF', 'GH_TOKEN', 'NOTHING']) expect(made).not.toHaveProperty(name);
    }
  });

  it('has the person’s configuration, and programs of the folder last, for Ralph’s own git alone', () => {
    const [person, agent] = [toGitEnvironment({ user: 'person', env, folder }), toGitEnvironment({ user: 'agent', env, folder })];
    expect(person).toMatchObject({ GIT_CONFIG_COUNT: '0', PATH: ['/usr/bin', join(folder, 'node_modules/.bin')].join(delimiter) });
    expect(agent).not.toHaveProperty('GIT_CONFIG_COUNT');
    expect(agent).toMatchObject({ PATH: '/usr/bin', GIT_ALLOW_PROTOCOL: 'none', GIT_CONFIG_NOSYSTEM: '1', GIT_ASKPASS: '' });
  });

  it('lets an agent’s git speak by the protocols that are named, and sign in there', () => {
    const made = toGitEnvironment({ user: 'agent', env, folder, protocols: 'https:ssh' });
    expect(made).toMatchObject({ GIT_ALLOW_PROTOCOL: 'https:ssh', GH_TOKEN: 'secret', GIT_TERMINAL_PROMPT: '0' });
    expect(made).not.toHaveProperty('GIT_CONFIG_NOSYSTEM');
  });
});

it('what is read is plain, whatever colours and forms the repository asks for', async () => {
  const folder = createTestRepository({ 'a.txt': 'a\n' });
  folder.git('config', 'color.ui', 'always');
  folder.git('config', 'core.pager', 'touch .git/paged');
  folder.write('a.txt', 'b\n');
  const { stdout } = await createGit({ cwd: folder.path, env: folder.env })(['diff', '--no-ext-diff']);
  expect(stdout).toContain('\n-a\n+b\n');
});

describe('what the repository’s own configuration names', () => {
  it('is switched off by name: its filters, not those of the person', async () => {
    const folder = createTestRepository({ 'a.txt': 'a\n' });
    folder.git('config', '--global', 'filter.mine.clean', 'cat');
    folder.git('config', 'filter.theirs.smudge', 'cat');
    folder.git('config', 'url.ssh://evil/.insteadOf', 'https://');
    const own = await readOwnConfig(createGit({ cwd: folder.path, env: folder.env, user: 'agent' }));
    expect(own).toMatchObject({ ok: true, value: { filters: ['theirs'], network: ['url.ssh://evil/.insteadof'], stubborn: [] } });
    expect(own.ok && own.value.overrides).toContain('filter.theirs.smudge=');
  });

  it('is refused where it cannot be read whole', async () => {
    const refused = await readOwnConfig(async () => ({ ok: false, exitCode: 0, stdout: '', problem: 'git config has too much to say' }));
    expect(refused).toEqual({ ok: false, refused: 'git config has too much to say' });
  });
});
