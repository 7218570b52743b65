import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toFiles } from './agent-script.ts';
import { git, makeRepository } from './git.ts';
import { withPlace } from './processes.ts';
import { ralph } from './ralph.ts';

const BODY = 'echo changed > tracked.txt; printf "\\\\0\\\\377" > data.bin; echo LOOP_COMPLETE';
const SECRET = 'ghp_secret_of_this_test_0123456789';

interface Offered {
  readonly folder: string;
  /** A bare repository beside it. */
  readonly remote: string;
  readonly pr: (args: readonly string[], env?: Readonly<Record<string, string>>) => ReturnType<typeof ralph>;
}

/** Programs without `gh`, which may be installed here. */
const PLAIN_PATH = '/usr/bin:/bin';

async function withRun(use: (place: Offered) => Promise<void>): Promise<void> {
  await withPlace({}, async (outside) => {
    await withPlace(toFiles('', BODY, { 'tracked.txt': 'old\n' }), async (folder) => {
      makeRepository(folder);
      const remote = join(outside, 'owner/name.git');
      mkdirSync(remote, { recursive: true });
      git(remote, 'init', '-q', '--bare');
      const run = await ralph(folder, ['run', '-p', 'Mend @everybody, fixes #1\nand more', '--worktree', 'blue']);
      expect(run.code, run.stdout + run.stderr).toBe(0);
      const pr: Offered['pr'] = (args, env = {}) =>
        ralph(folder, ['pr', ...args], { PATH: PLAIN_PATH, GH_TOKEN: '', GITHUB_TOKEN: '', ...env });
      await use({ folder, remote, pr });
    });
  });
}

/** A `gh` that notes how it was called and answers as the real one does. */
function makeGh(folder: string): { readonly path: string; readonly calls: () => readonly (readonly string[])[] } {
  const notes = join(folder, 'calls');
  mkdirSync(join(folder, 'bin'));
  const script = `#!/bin/sh
for word; do printf '%s\\0' "$word" >> ${notes}; done; printf '\\n\\0' >> ${notes}
case "$1 $2" in
'auth status') [ ! -e ${folder}/signed-out ]; exit ;;
'pr list') cat ${folder}/open 2>/dev/null || echo '[]' ;;
'pr create') [ -e ${folder}/broken ] && { echo "no: ${SECRET}" >&2; exit 4; }; for word; do case "$before" in --body-file) cat "$word" > ${folder}/body ;; esac; before=$word; done
  echo 'https://github.com/owner/name/pull/7' ;;
esac
`;
  writeFileSync(join(folder, 'bin/gh'), script);
  chmodSync(join(folder, 'bin/gh'), 0o755);
  return {
    path: `${join(folder, 'bin')}:${PLAIN_PATH}`,
    calls: () =>
      readFileSync(notes, 'utf8')
        .split('\n\0')
        .filter(Boolean)
        .map((call) => call.split('\0').filter(Boolean)),
  };
}

interface Asked {
  readonly call: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function withApi(
  answer: (call: string) => readonly [number, unknown],
  use: (url: string, asked: readonly Asked[]) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const call = `${request.method} ${request.url}`;
      asked.push({ call, headers: request.headers, body });
      const [status, content] = answer(call);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked);
  } finally {
    server.close();
  }
}

describe.concurrent('ralph pr', () => {
  test('without a remote writes the text and a patch that holds everything, and says where', async () => {
    await withRun(async ({ folder, pr }) => {
      const { code, stdout } = await pr([]);
      expect([code, stdout]).toEqual([0, expect.stringContaining('the repository has no remote')]);
      const [body = '', patch = ''] = stdout
        .split('\n')
        .filter((line) => line.startsWith('  '))
        .map((line) => line.trim());
      expect(readFileSync(body, 'utf8')).toMatch(/^## Completed.*## Task\s+```[a-z]*\nMend @everybody, fixes #1/s);
      git(folder, 'apply', patch);
      expect([...readFileSync(join(folder, 'data.bin'))]).toEqual([0, 255]);
      expect(readFileSync(join(folder, 'tracked.txt'), 'utf8')).toBe('changed\n');
    });
  });

  test('pushes the branch and has gh open a draft, the text by a file; a second call finds it', async () => {
    await withRun(async ({ folder, remote, pr }) => {
      await withPlace({}, async (tools) => {
        const gh = makeGh(tools);
        git(folder, 'remote', 'add', 'origin', 'https://github.com/owner/name.git');
        git(folder, 'config', `url.file://${remote}.pushInsteadOf`, 'https://github.com/owner/name.git');
        const dry = await pr(['--dry-run'], { PATH: gh.path });
        expect(dry.stdout).toMatch(/Would push ralph\/blue \(1 commit\) to origin, .*name\.git, and open a draft into main by gh/);
        expect([git(remote, 'branch'), existsSync(join(tools, 'calls'))]).toEqual(['', false]);
        const made = await pr([], { PATH: gh.path });
        expect(made).toMatchObject({
          code: 0,
          stdout: expect.stringMatching(/Pushed ralph\/blue to origin, .*name\.git\..*https:\/\/github\.com\/owner\/name\/pull\/7/s),
        });
        expect(git(remote, 'rev-parse', 'ralph/blue')).toBe(git(folder, 'rev-parse', 'ralph/blue'));
        const create = gh.calls().find((call) => call[1] === 'create') ?? [];
        expect(create.slice(-2)).toEqual(['--repo', 'github.com/owner/name']);
        expect(create.slice(0, 9)).toEqual([
          'pr',
          'create',
          '--draft',
          '--head',
          'ralph/blue',
          '--base',
          'main',
          '--title',
          'Mend @everybody, fixes #1',
        ]);
        expect(readFileSync(join(tools, 'body'), 'utf8')).toContain('Completed');
        writeFileSync(join(tools, 'open'), '[{"url":"https://github.com/owner/name/pull/7"}]');
        expect((await pr([], { PATH: gh.path })).stdout).toContain('There is a pull request already');
        writeFileSync(join(tools, 'open'), '[]');
        writeFileSync(join(tools, 'broken'), '');
        const failed = await pr([], { PATH: gh.path, GH_TOKEN: SECRET });
        expect([failed.code, failed.stderr]).toEqual([1, expect.stringMatching(/gh pr create: no: \[GH_TOKEN\] \(ralph\/blue is pushed;/)]);
        expect(failed.stdout + failed.stderr).not.toContain(SECRET);
      });
    });
  });

  test('without gh opens it by the API, with the token of the environment, and shows it nowhere', async () => {
    await withRun(async ({ folder, remote, pr }) => {
      git(folder, 'remote', 'add', 'origin', 'https://github.com/owner/name.git');
      git(folder, 'config', `url.file://${remote}.pushInsteadOf`, 'https://github.com/owner/name.git');
      await withApi(
        (call) => (call.startsWith('GET') ? [200, []] : [201, { html_url: 'https://github.com/owner/name/pull/8' }]),
        async (url, asked) => {
          const made = await pr([], { GITHUB_TOKEN: SECRET, GITHUB_API_URL: url });
          expect(made.stdout + made.stderr).not.toContain(SECRET);
          expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('pull/8') });
          expect(asked.map(({ call }) => call.split('?')[0])).toEqual(['GET /repos/owner/name/pulls', 'POST /repos/owner/name/pulls']);
          expect(asked[1]?.headers.authorization).toBe(`Bearer ${SECRET}`);
          expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({
            head: 'ralph/blue',
            base: 'main',
            draft: true,
            title: 'Mend @everybody, fixes #1',
          });
        },
      );
      await withApi(
        () => [401, { message: 'Bad credentials' }],
        async (url) => {
          const { stderr } = await pr([], { GITHUB_TOKEN: SECRET, GITHUB_API_URL: url });
          expect(stderr).toMatch(/answered 401: Bad credentials.*Set GH_TOKEN to a token that may/s);
          expect(stderr).not.toContain('--remote');
        },
      );
      await withApi(
        () => [422, { message: `Validation Failed ${SECRET}`, errors: [{ message: 'no drafts here' }] }],
        async (url) => {
          const failed = await pr([], { GITHUB_TOKEN: SECRET, GITHUB_API_URL: url });
          expect([failed.code, failed.stderr]).toEqual([
            1,
            expect.stringContaining('answered 422: Validation Failed [GITHUB_TOKEN]; no drafts here'),
          ]);
        },
      );
    });
  });

  test('pushes nothing to another forge, writes text and patch for it, and shows no password of its address', async () => {
    await withRun(async ({ folder, remote, pr }) => {
      await withPlace({}, async (tools) => {
        const gh = makeGh(tools);
        writeFileSync(join(tools, 'signed-out'), '');
        git(folder, 'remote', 'add', 'origin', `https://ann:p@${SECRET}@gitlab.example/owner/name.git`);
        git(folder, 'config', `url.file://${remote}.pushInsteadOf`, 'https://ann:');
        const made = await pr([], { PATH: gh.path });
        expect(made.code, made.stderr).toBe(0);
        expect(made.stdout).toMatch(/`gh` is not signed in to gitlab\.example.*gh auth login.*body\.md\n.*changes\.patch\n$/s);
        expect([git(remote, 'branch'), gh.calls()]).toEqual(['', [['auth', 'status', '--hostname', 'gitlab.example']]]);
        git(folder, 'remote', 'set-url', 'origin', `https://ann:p@${SECRET}@127.0.0.1:9/owner/name.git`);
        git(folder, 'config', '--unset', `url.file://${remote}.pushInsteadOf`);
        writeFileSync(join(tools, 'signed-out'), '');
        const refused = await pr([], { GH_TOKEN: 'other', GITHUB_API_URL: 'http://127.0.0.1:9' });
        expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('127.0.0.1')]);
        expect(made.stdout + made.stderr + refused.stdout + refused.stderr).not.toContain(SECRET);
      });
    });
  });

  test('sends a token to no host that it is not for, runs no gh out of the project, and refuses what has no branch', async () => {
    await withRun(async ({ folder, pr }) => {
      git(folder, 'remote', 'add', 'origin', 'https://user:word@elsewhere.example/owner/name.git');
      const dry = await pr(['--dry-run'], { GITHUB_TOKEN: SECRET });
      expect(dry.stdout).toContain('elsewhere.example is not github.com');
      makeGh(folder);
      const own = await pr(['--dry-run', '--format', 'json'], { GITHUB_TOKEN: SECRET, PATH: `${folder}/bin:${PLAIN_PATH}` });
      expect(JSON.parse(own.stdout)).toMatchObject({
        v: 1,
        way: 'files',
        pushUrl: 'https://elsewhere.example/owner/name.git',
        isDry: true,
      });
      expect(existsSync(join(folder, 'calls'))).toBe(false);
      expect((await pr(['--remote', 'nowhere'])).stderr).toContain('there is no remote "nowhere"');
      await ralph(folder, ['run', '-p', 'work', '--in-place']);
      expect((await pr([])).stderr).toContain('worked in this folder itself');
    });
  });
});
