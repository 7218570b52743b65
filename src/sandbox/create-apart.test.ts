import { existsSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { createApart } from './create-apart.ts';

afterEach(() => vi.restoreAllMocks());

const FOUND = { found: { kind: 'bubblewrap', path: '/usr/bin/bwrap', version: 'bubblewrap 0.8.0' } } as const;
const GIT = { path: 'git', args: ['push'], env: {} };

it.runIf(existsSync('/etc/ssh/ssh_config.d'))(
  'a user who is not root pushes over ssh: what it would refuse for its owner is out of sight',
  () => {
    const put = createApart({ os: FOUND }, '/work');
    vi.spyOn(process, 'getuid').mockReturnValue(1000);
    expect(put(GIT).args.join(' ')).toMatch(
      /--unshare-user --uid 1000 .*--dev-bind \/ \/ .*--tmpfs \/etc\/ssh\/ssh_config\.d .*--chdir \/work -- git push$/,
    );
    vi.spyOn(process, 'getuid').mockReturnValue(0);
    expect(put(GIT).args).not.toContain('--tmpfs');
  },
);

it('without bubblewrap a program is started as it is', () => {
  expect(createApart({ os: { found: null, why: 'it is not there' } }, '/work')(GIT)).toBe(GIT);
});
